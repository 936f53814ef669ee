import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAllowance } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  requestSync,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(100_000);
const file = (index: number) => `app/c${index}.yaml`;
const count = 12;
const all = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [file(index), configMapText(`c${index}`)]),
);
/** All but the first three leave git, and the first changes. */
const fewer = {
  ...Object.fromEntries(Array.from({ length: count - 3 }, (_, index) => [file(index + 3), undefined])),
  [file(0)]: configMapText("c0", "2"),
};

async function annotate(world: SmallWorld, annotations: Record<string, string>): Promise<void> {
  await world.kube.patch(
    applicationRef("web"),
    { type: "merge", body: { metadata: { annotations } } },
    { signal: signal() },
  );
}

interface HeldApplication {
  status: {
    conditions: { type: string; message: string }[];
    operationState: { phase: string; message: string };
  };
}

async function codeHeld(world: SmallWorld): Promise<string> {
  const held = await untilObject(world, applicationRef("web"), (object) =>
    JSON.stringify(object?.status ?? {}).includes("PruneHeldWarning"),
  );
  const { status } = held as unknown as HeldApplication;
  const message = status.conditions.find(({ type }) => type === "PruneHeldWarning")?.message ?? "";
  assert.match(message, /^9 of 12 objects \(75 %\) are not in git any more/);
  return / (\S+)$/.exec(message)?.[1] ?? "";
}

const isThere = async (world: SmallWorld, name: string) =>
  (await readObject(world, configMapRef("web", name))) !== undefined;

test("automated sync applies the rest, keeps what is held until it is allowed, and uses the consent up", async () => {
  await using git = await createGitRepository(all);
  await using world = await openSmallWorld();
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), {
    signal: signal(),
  });
  await untilApplication(world.kube, "web", isSettled);
  await git.commit(fewer);
  await refresh(world, "web");
  await untilObject(
    world,
    configMapRef("web", "c0"),
    (object) => JSON.stringify(object?.data) === '{"key":"2"}',
  );
  const code = await codeHeld(world);
  await world.controller.idle();
  assert.equal(await isThere(world, "c11"), true);

  await annotate(world, {
    [annotationKeys.pruneAllowed]: formatAllowance(`9-${"0".repeat(20)}`, formatTime(Date.now())),
  });
  await untilObject(world, applicationRef("web"), (object) =>
    JSON.stringify(object?.status).includes("about another state of git"),
  );
  await world.controller.idle();
  assert.equal(await isThere(world, "c11"), true, "a consent to something else allows nothing");

  await annotate(world, { [annotationKeys.pruneAllowed]: formatAllowance(code, formatTime(Date.now())) });
  await untilObject(world, configMapRef("web", "c11"), (object) => object === undefined);
  const view = await untilApplication(
    world.kube,
    "web",
    (one) => isSettled(one) && one.resources.length === 3,
  );
  assert.equal(view.phase, "Succeeded");
  const app = await untilObject(
    world,
    applicationRef("web"),
    (object) => object?.metadata.annotations?.[annotationKeys.pruneAllowed] === undefined,
  );
  assert.doesNotMatch(JSON.stringify(app?.status), /PruneHeldWarning/);
});

test("whoever asks for a prune that is held is told, and nothing is half done", async () => {
  await using git = await createGitRepository(all);
  await using world = await openSmallWorld();
  const syncOptions = ["CreateNamespace=true"];
  const sketch = { name: "web", repoURL: git.url, path: "app", syncPolicy: { syncOptions } };
  await world.kube.create(sketchApplication(sketch), { signal: signal() });
  await requestSync(world, "web", { syncOptions });
  await untilApplication(world.kube, "web", isSettled);
  await git.commit(fewer);
  await refresh(world, "web");
  const code = await codeHeld(world);
  await requestSync(world, "web", { prune: true });
  const failed = await untilApplication(world.kube, "web", ({ phase }) => phase === "Failed");
  assert.match(JSON.stringify(failed), new RegExp(`capstan app allow-prune argocd/web ${code}`));
  assert.deepEqual((await readObject(world, configMapRef("web", "c0")))?.data, { key: "1" });

  await annotate(world, { [annotationKeys.pruneBudget]: "off" });
  await untilObject(
    world,
    applicationRef("web"),
    (object) => !JSON.stringify(object).includes("PruneHeldWarning"),
  );
  await requestSync(world, "web", { prune: true });
  await untilApplication(world.kube, "web", (one) => isSettled(one) && one.resources.length === 3);
  assert.equal(await isThere(world, "c11"), false);
});
