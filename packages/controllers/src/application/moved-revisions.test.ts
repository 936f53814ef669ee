import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  configMapText,
  createGitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  openSmallWorld,
  readObject,
  refresh,
  requestSync,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";
import { meaningsOf, movedRevisions } from "./moved-revisions.ts";

const signal = () => AbortSignal.timeout(100_000);
const manual = { syncOptions: ["CreateNamespace=true"] };

async function statusOf(world: SmallWorld) {
  return JSON.stringify((await readObject(world, applicationRef("web")))?.status);
}

function readMeanings(status: unknown): unknown {
  const history = isRecord(status) && Array.isArray(status.history) ? status.history : [];
  return history.map((entry: unknown) => (isRecord(entry) ? entry.meanings : undefined));
}

test("a tag that is moved is a condition until the next sync, and both its commits stand in the history", async () => {
  await using git = await createGitRepository({ "app/a.yaml": configMapText("a") });
  await git.git("tag", "v1");
  const first = await git.git("rev-parse", "HEAD");
  await using world = await openSmallWorld();
  const source = { targetRevision: "v1" };
  await world.kube.create(
    sketchApplication({ name: "web", repoURL: git.url, path: "app", source, syncPolicy: manual }),
    { signal: signal() },
  );
  await requestSync(world, "web", manual);
  await untilApplication(world.kube, "web", isSettled);
  await git.commit({ README: "nothing of the application's" });
  await refresh(world, "web");
  await world.controller.idle();
  assert.doesNotMatch(await statusOf(world), /RevisionMovedWarning/, "a branch may go on");

  const second = await git.commit({ "app/a.yaml": configMapText("a", "2") });
  await git.git("tag", "--force", "v1");
  await refresh(world, "web");
  const told = await untilObject(world, applicationRef("web"), (object) =>
    JSON.stringify(object?.status ?? {}).includes("RevisionMovedWarning"),
  );
  const message = JSON.stringify(told?.status);
  assert.match(
    message,
    new RegExp(
      `tag v1 of [^"]* was ${first} when it was deployed at .*\\(history 0\\), and is ${second} now`,
    ),
  );
  await requestSync(world, "web", manual);
  const after = await untilObject(world, applicationRef("web"), (object) => {
    const text = JSON.stringify(object?.status ?? {});
    return !text.includes("RevisionMovedWarning") && text.includes('"id":1');
  });
  const meanings = readMeanings(after?.status);
  assert.deepEqual(meanings, [[first], [second]]);
});

test("an operation that names the commit of a tag is remembered by the tag; another commit is not", () => {
  const source = { repoURL: "https://git.example/a", path: "x", targetRevision: "v1" };
  const known = { sources: [source], revisions: ["c1"], meanings: ["c1"] };
  const asked = { sources: [source], revisions: ["c1"], meanings: [undefined] };
  assert.deepEqual(meaningsOf(asked, known), ["c1"]);
  assert.deepEqual(meaningsOf({ ...asked, revisions: ["c0"] }, known), [undefined]);
});

test("a chart's version is known by its digest, whatever chose it; other charts and Argo CD's entries say nothing", () => {
  const source = { repoURL: "https://charts.example", chart: "web", targetRevision: "1.x" };
  const entry = { id: 3, deployedAt: "2026-01-01T00:00:00Z", revision: "1.2.0", source };
  const app = (meanings?: string[]) => ({
    status: { history: [{ ...entry, ...(meanings ? { meanings } : {}) }] },
  });
  const now = { sources: [source], revisions: ["1.2.0"], meanings: ["sha256:b"] };
  assert.deepEqual(movedRevisions(app(["sha256:a"]), now), [
    "version 1.2.0 of chart web of https://charts.example was sha256:a when it was deployed at 2026-01-01T00:00:00Z (history 3), and is sha256:b now: it was moved, or published anew",
  ]);
  assert.deepEqual(movedRevisions(app(["sha256:b"]), now), []);
  assert.deepEqual(movedRevisions(app(), now), []);
  assert.deepEqual(movedRevisions(app(["sha256:a"]), { ...now, revisions: ["1.3.0"] }), []);
});
