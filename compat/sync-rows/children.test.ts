import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApplicationView,
  configMapText,
  type Files,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, readObject, untilObject, untilOperation } from "@capstan/testkit/worlds";
import {
  applySettings,
  begin,
  judge,
  judgedText,
  marks,
  type Place,
  placeIn,
  shareWorld,
  sync,
} from "./place.ts";

const world = shareWorld();
const later = { "app/later.yaml": configMapText("later", "1", marks({ "sync-wave": "1" })) };
const automated = { automated: {}, syncOptions: ["CreateNamespace=true"] };

/** An Application of the parent's repository, in a wave before the others. */
function child(there: Place, name: string, { path = name, syncPolicy = automated as object } = {}): string {
  const { annotations } = marks({ "sync-wave": "0" });
  // A test says how healthy it is.
  const ignoreDifferences = [{ group: "", kind: "ConfigMap", jsonPointers: ["/data/health"] }];
  const app = sketchApplication({
    name,
    repoURL: there.git.url,
    path,
    syncPolicy: { ...syncPolicy },
    ignoreDifferences,
  });
  return JSON.stringify({ ...app, metadata: { ...app.metadata, annotations } });
}

/** The repository's address stands in the files: they come with a second commit. */
async function parentOf(name: string, files: (there: Place) => Files): Promise<Place> {
  const there = await placeIn(world())(name, later);
  await there.git.commit(files(there));
  return there;
}

const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);
const waits = ({ message }: ApplicationView) => /healthy state of argoproj.io\/Application/.test(message);
const isThere = async (namespace: string) =>
  (await readObject(world(), configMapRef(namespace, "later"))) !== undefined;

test("a wave waits for an automated child Application until it has deployed what it wants, and is well", async () => {
  await using there = await parentOf("parent", (at) => ({
    "app/child.json": child(at, "of-parent"),
    "of-parent/one.yaml": judgedText("one", "Progressing"),
  }));
  await begin(there);
  await until("parent", waits);
  await until("of-parent", ({ phase, health }) => phase === "Succeeded" && health === "Progressing");
  assert.equal(await isThere("parent"), false);
  await judge({ ...there, name: "of-parent" }, "one", "Healthy");
  assert.equal((await untilOperation(world(), "parent")).phase, "Succeeded");
  assert.equal(await isThere("parent"), true);
  const { health } = await until("parent", ({ sync: status }) => status === "Synced");
  assert.equal(health, "Healthy");
});

test("a child Application that cannot deploy what it wants ends the sync with its reason", async () => {
  await using there = await parentOf("parent-of-broken", (at) => ({
    "app/child.json": child(at, "broken", { syncPolicy: { ...automated, retry: { limit: 0 } } }),
    "broken/one.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one" },
      data: { key: 1 },
    }),
  }));
  const { phase, message } = await sync(there);
  assert.equal(phase, "Failed");
  assert.match(message, /Application.*broken.*Failed last sync attempt/);
  assert.equal(await isThere("parent-of-broken"), false);
});

test("nobody waits for a child that is synced by hand, for itself, or for an application that deploys it", async () => {
  await using there = await parentOf("circle", (at) => ({
    "app/itself.json": child(at, "circle", { path: "app", syncPolicy: {} }),
    "app/by-hand.json": child(at, "by-hand", { syncPolicy: {} }),
    "by-hand/one.yaml": configMapText("one"),
    "app/back.json": child(at, "back"),
    "back/first.json": child(at, "circle", { path: "app", syncPolicy: {} }),
    "back/later.yaml": later["app/later.yaml"],
  }));
  assert.equal((await sync(there)).phase, "Succeeded");
  await until("back", ({ phase }) => phase === "Succeeded");
  assert.deepEqual([await isThere("circle"), await isThere("back")], [true, true]);
  assert.equal(await readObject(world(), configMapRef("by-hand", "one")), undefined);
});

test("a child whose sync a window keeps away is not waited for, nor one that waits for others", async () => {
  const syncWindows = [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["held"] }];
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  const windows = (body: object) =>
    world().kube.patch(
      project,
      { type: "merge", body: { spec: body } },
      { signal: AbortSignal.timeout(60_000) },
    );
  await windows({ syncWindows });
  await using there = await parentOf("parent-of-held", (at) => {
    const waiting = JSON.parse(child(at, "waiting"));
    Object.assign(waiting.metadata.annotations, { "capstan.dev/depends-on": "parent-of-held" });
    return {
      "app/held.json": child(at, "held"),
      "held/one.yaml": configMapText("one"),
      "app/waiting.json": JSON.stringify(waiting),
      "waiting/one.yaml": configMapText("one"),
    };
  });
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.equal(await readObject(world(), configMapRef("held", "one")), undefined);
  await until("waiting", ({ phase }) => phase === "Succeeded");
  await windows({ syncWindows: null });
  await until("held", ({ phase }) => phase === "Succeeded");
});

test("a script of the settings decides alone, also that a child Application has no health", async () => {
  const key = "resource.customizations.health.argoproj.io_Application";
  const files = (name: string) => (at: Place) => ({
    "app/child.json": child(at, name),
    [`${name}/one.yaml`]: judgedText("one", "Progressing"),
  });
  await applySettings(world(), { [key]: "return {}" });
  await using free = await parentOf("parent-unwaiting", files("unwaited"));
  assert.equal((await sync(free)).phase, "Succeeded");
  await applySettings(world(), { [key]: 'return { status = "Progressing" }' });
  await using held = await parentOf("parent-waiting", files("waited"));
  await begin(held);
  await until("parent-waiting", waits);
  await applySettings(world(), { [key]: "" });
  await untilObject(world(), configMapRef("waited", "one"), (one) => one !== undefined);
  await judge({ ...held, name: "waited" }, "one", "Healthy");
  assert.equal((await untilOperation(world(), "parent-waiting")).phase, "Succeeded");
});
