import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { annotationKeys, type Manifest } from "@capstan/model";
import { untilApplication } from "@capstan/testkit";
import { openSceneWorld, refresh, type Scene, type SceneWorld } from "@capstan/testkit/worlds";
import type { SyncPlanRequest, SyncPlanStep } from "@capstan/wire";
import fc from "fast-check";

type Request = Omit<SyncPlanRequest, "name">;

const kinds = ["ConfigMap", "Secret", "ServiceAccount"] as const;

interface Thing {
  kind: (typeof kinds)[number];
  /** Beside the destination's namespace. */
  isOutside: boolean;
  how: "new" | "same" | "changed" | "drifted where ignored" | "gone" | "another's" | "not served";
  wave: number;
  options: string;
}

const thing: fc.Arbitrary<Thing> = fc.record({
  kind: fc.constantFrom(...kinds),
  isOutside: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  how: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom<Thing["how"][]>("new", "same", "changed", "gone", "drifted where ignored"),
    },
    { weight: 1, arbitrary: fc.constantFrom<Thing["how"][]>("another's", "not served") },
  ),
  wave: fc.constantFrom(-1, 0, 0, 1),
  options: fc.constantFrom("", "", "", "Prune=false", "Replace=true", "PruneLast=true"),
});

const situation = fc.record({
  things: fc.array(thing, { minLength: 1, maxLength: 6 }),
  hooks: fc.array(fc.constantFrom("PreSync", "Sync", "PostSync", "SyncFail"), { maxLength: 2 }),
  isKindForbidden: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  isOutsideForbidden: fc.boolean(),
  ignores: fc.constantFrom("nothing", "by a pointer", "by jq"),
  isNew: fc.boolean(),
  prune: fc.boolean(),
  onlyFirst: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  syncOptions: fc.subarray([
    "RespectIgnoreDifferences=true",
    "FailOnSharedResource=true",
    "ApplyOutOfSyncOnly=true",
    "PruneLast=true",
    "ServerSideApply=false",
  ]),
});
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

function manifestOf(scene: string, { kind, isOutside, wave, options, how }: Thing, index: number): Manifest {
  const annotations = {
    [annotationKeys.syncWave]: String(wave),
    ...(options === "" ? {} : { [annotationKeys.syncOptions]: options }),
  };
  const namespace = isOutside ? `${scene}-out` : scene;
  const metadata = { name: `thing-${index}`, namespace, annotations, labels: { ours: "git", theirs: "git" } };
  return {
    apiVersion: how === "not served" ? "policy/v9" : "v1",
    kind: how === "not served" ? "PodDisruptionBudget" : kind,
    metadata,
  };
}

const labelled = (object: Manifest, labels: Record<string, string>): Manifest => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
});

function hookOf(scene: string, phase: string, index: number): Manifest {
  const annotations = { [annotationKeys.hook]: phase };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `hook-${index}`, namespace: scene, annotations },
  };
}

const ignored = {
  "by a pointer": { jsonPointers: ["/metadata/labels/theirs"] },
  "by jq": { jqPathExpressions: ['.metadata | select(.name | test("^thing")).labels.theirs'] },
};

function sceneOf(name: string, { things, hooks, ...rest }: Situation): Scene {
  const all = things.map((one, index) => ({ ...one, object: manifestOf(name, one, index) }));
  const inGit = all.filter(({ how }) => how !== "gone").map(({ object }) => object);
  const live = all.flatMap(({ how, object }) => {
    if (how === "new" || how === "not served") return [];
    const labels =
      how === "changed" ? { ours: "live" } : how === "drifted where ignored" ? { theirs: "live" } : {};
    return [{ object: labelled(object, labels), owner: how === "another's" ? `${name}-other` : name }];
  });
  const destinations = [
    { server: "*", namespace: name },
    ...(rest.isOutsideForbidden ? [] : [{ server: "*", namespace: "*" }]),
  ];
  return {
    name,
    isNew: rest.isNew,
    manifests: [...inGit, ...hooks.map((phase, index) => hookOf(name, phase, index))],
    live,
    project: {
      destinations,
      ...(rest.isKindForbidden ? { namespaceResourceBlacklist: [{ group: "", kind: "Secret" }] } : {}),
    },
    spec:
      rest.ignores === "nothing"
        ? {}
        : { ignoreDifferences: [{ group: "*", kind: "*", ...ignored[rest.ignores] }] },
  };
}

function requestOf({ manifests }: Scene, { prune, onlyFirst, isNew, syncOptions }: Situation): Request {
  const [first] = manifests;
  const { kind = "", metadata: { name = "" } = {} } = first ?? {};
  return {
    prune,
    syncOptions: { items: [...syncOptions, ...(isNew ? ["CreateNamespace=true"] : [])] },
    ...(onlyFirst && first?.apiVersion === "v1" ? { resources: [{ kind, name }] } : {}),
  };
}

const plural: Record<string, string> = {
  ConfigMap: "configmaps",
  Secret: "secrets",
  ServiceAccount: "serviceaccounts",
};
const pathOf = ({ kind, namespace, name }: Pick<SyncPlanStep, "kind" | "namespace" | "name">) =>
  kind === "Namespace"
    ? `/api/v1/namespaces/${name}`
    : `/api/v1/namespaces/${namespace}/${plural[kind]}/${name}`;

async function readAll(
  world: SceneWorld,
  { name: scene, manifests, live }: Scene,
): Promise<Map<string, Manifest | undefined>> {
  const objects = [...manifests, ...live.map(({ object }) => object)].filter(
    ({ apiVersion }) => apiVersion === "v1",
  );
  const refs = objects.map(({ kind, metadata }) => ({
    kind,
    namespace: metadata.namespace ?? scene,
    name: metadata.name ?? "",
  }));
  const found = new Map<string, Manifest | undefined>();
  for (const ref of [{ kind: "Namespace", namespace: "", name: scene }, ...refs])
    found.set(pathOf(ref), await world.read({ apiVersion: "v1", ...ref }));
  return found;
}

/** What a step says of the object afterwards. */
function assertKept(
  step: SyncPlanStep | undefined,
  was: Manifest | undefined,
  is: Manifest | undefined,
): void {
  switch (step?.act) {
    case "create":
      assert.ok(!was && is, "was to be created");
      break;
    case "hook":
      assert.ok(step.phase === "SyncFail" ? !is : is, "the hook was to run");
      break;
    case "delete":
      assert.ok(was && !is, "was to be deleted");
      break;
    case "update":
    case "replace":
      assert.notDeepEqual(is, was, "was to be changed");
      break;
    default:
      assert.deepEqual(is, was, "was to stay as it is");
  }
}

async function play(world: SceneWorld, scene: Scene, request: Request): Promise<void> {
  await world.set(scene);
  const { steps, blockedBy } = await world.preview(scene.name, request);
  const was = await readAll(world, scene);
  const { operation, writes } = await world.sync(scene.name, request);
  const is = await readAll(world, scene);
  const story = `blocked: ${blockedBy.join("; ")}; sync: ${operation.phase}: ${operation.message}`;
  if (blockedBy.length > 0) {
    assert.notEqual(operation.phase, "Succeeded", story);
    assert.deepEqual(is, was, story);
    assert.deepEqual(writes, [], story);
    return;
  }
  assert.equal(operation.phase, "Succeeded", story);
  const byPath = new Map(steps.map((step) => [pathOf(step), step]));
  for (const [path, before] of was) {
    const step = byPath.get(path);
    try {
      assertKept(step, before, is.get(path));
    } catch (error) {
      throw new Error(`${path}: ${step?.act ?? "no step"}, ${step?.because ?? ""}; ${story}`, {
        cause: error,
      });
    }
  }
  const places = steps.map(({ phase, wave }) => `${phase} ${wave}`);
  const order = writes.map((path) => [...byPath.keys()].indexOf(path)).filter((at) => at >= 0);
  const groups = order.map((at) => places.indexOf(places[at] ?? ""));
  assert.deepEqual(
    groups,
    groups.toSorted((one, other) => one - other),
    `the order of ${writes.join(", ")}`,
  );
}

const refusal = (code: number) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message: "no", code });

function object(kind: string, namespace: string, more: Partial<Manifest> = {}): Manifest {
  return { apiVersion: "v1", kind, metadata: { name: "one", namespace }, ...more };
}

describe("a preview", () => {
  let world: SceneWorld;
  /** Answers of the cluster to dry runs of objects of this name. */
  const answers = new Map<string, number>();
  before(async () => {
    world = await openSceneWorld(({ url }) => {
      const status = url.includes("dryRun") && [...answers].find(([name]) => url.includes(`/${name}?`))?.[1];
      return status ? Promise.resolve({ status, headers: {}, body: refusal(status) }) : undefined;
    });
  });
  after(() => world[Symbol.asyncDispose]());

  test("says what the sync then does", async () => {
    let count = 1000;
    await fc.assert(
      fc.asyncProperty(fc.array(situation, { minLength: 4, maxLength: 4 }), async (situations) => {
        await Promise.all(
          situations.map(async (one) => {
            count += 1;
            const scene = sceneOf(`s${count}`, one);
            await play(world, scene, requestOf(scene, one));
          }),
        );
      }),
      { numRuns: 6 },
    );
  });

  test("announces no prune that the project forbids", async () => {
    const live = ["Secret", "ConfigMap"].map((kind) => ({
      object: object(kind, "forbidden"),
      owner: "forbidden",
    }));
    const project = { namespaceResourceBlacklist: [{ group: "", kind: "Secret" }] };
    await world.set({ name: "forbidden", manifests: [], live, project });
    const { steps } = await world.preview("forbidden", { prune: true });
    assert.deepEqual(
      steps.map(({ act, kind }) => `${act} ${kind}`),
      ["delete ConfigMap"],
    );
    await world.sync("forbidden", { prune: true });
    assert.ok(await world.read({ apiVersion: "v1", kind: "Secret", namespace: "forbidden", name: "one" }));
  });

  test("says that the cluster does not serve a version", async () => {
    const manifests = [object("PodDisruptionBudget", "unserved", { apiVersion: "policy/v9" })];
    await world.set({ name: "unserved", manifests, live: [] });
    const { blockedBy } = await world.preview("unserved", {});
    assert.match(blockedBy.join(), /could not find version "v9" of policy\/PodDisruptionBudget/);
    const { operation } = await world.sync("unserved", {});
    assert.match(
      `${operation.phase} ${operation.message}`,
      /^Failed .*could not find version "v9" of policy/,
    );
    const wrongGroup = object("PodDisruptionBudget", "elsewhere", { apiVersion: "wrong.example/v1" });
    await world.set({ name: "elsewhere", manifests: [wrongGroup], live: [] });
    const elsewhere = await world.preview("elsewhere", {});
    assert.match(
      elsewhere.blockedBy.join(),
      /version "v1" of wrong\.example\/PodDisruptionBudget for requested resource elsewhere\/.*Version "v1" of policy\/PodDisruptionBudget is installed/,
    );
    const nowhere = object("Nothing", "nowhere", { apiVersion: "wrong.example/v1" });
    await world.set({ name: "nowhere", manifests: [nowhere], live: [] });
    assert.match(
      (await world.preview("nowhere", {})).blockedBy.join(),
      /could not find wrong\.example\/Nothing for requested resource nowhere\/[^:]*: Nothing\.wrong\.example "" not found\. Make sure/,
    );
  });

  test("takes a refused dry run for a difference, and one without an answer for none", async () => {
    const scaler = (name: string) =>
      object("HorizontalPodAutoscaler", "doubtful", {
        apiVersion: "autoscaling/v2",
        metadata: { name, namespace: "doubtful" },
        spec: {
          maxReplicas: 3,
          metrics: [],
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        },
      });
    const manifests = [scaler("refused"), scaler("fine")];
    const live = manifests.map((one) => ({ object: one, owner: "doubtful" }));
    answers.set("refused", 403);
    await world.set({ name: "doubtful", manifests, live });
    const { steps } = await world.preview("doubtful", {});
    assert.deepEqual(Object.fromEntries(steps.map(({ name, act }) => [name, act])), {
      refused: "update",
      fine: "unchanged",
    });
    answers.set("refused", 500);
    await assert.rejects(world.preview("doubtful", {}), /sync-plan: 5\d\d/);
    const compared = (status: string) =>
      untilApplication(world.api.world.kube, "doubtful", ({ sync }) => sync === status);
    await compared("OutOfSync");
    answers.delete("refused");
    await refresh(world.api.world, "doubtful");
    await compared("Synced");
  });

  for (const [name, rule] of Object.entries({
    respected: { jsonPointers: ["/data/theirs"] },
    "respected-by-jq": { jqPathExpressions: ['select(.metadata.name == "one").data.theirs'] },
  }))
    test(`leaves alone what a sync is to respect: ${name}`, async () => {
      const ignoreDifferences = [{ group: "", kind: "ConfigMap", ...rule }];
      const manifests = [object("ConfigMap", name, { data: { ours: "new", theirs: "git" } })];
      const live = [
        { object: object("ConfigMap", name, { data: { ours: "old", theirs: "live" } }), owner: name },
      ];
      await world.set({ name, manifests, live, spec: { ignoreDifferences } });
      const request = { syncOptions: { items: ["RespectIgnoreDifferences=true"] } };
      const [step] = (await world.preview(name, request)).steps;
      const data = { ours: "new", theirs: "live" };
      assert.deepEqual(JSON.parse(step?.targetState ?? "{}").data, data);
      const careless = (await world.preview(name, {})).steps[0];
      assert.deepEqual(careless?.fields?.map(({ path }) => path).toSorted(), ["data.ours", "data.theirs"]);
      await world.sync(name, request);
      assert.deepEqual(
        (await world.read({ apiVersion: "v1", kind: "ConfigMap", namespace: name, name: "one" }))?.data,
        data,
      );
    });

  test("says that a shared object keeps a sync from beginning", async () => {
    const shared = object("ConfigMap", "shared");
    await world.set({ name: "shared", manifests: [shared], live: [{ object: shared, owner: "other" }] });
    const request = { syncOptions: { items: ["FailOnSharedResource=true"] } };
    const { blockedBy } = await world.preview("shared", request);
    assert.match(
      blockedBy.join(),
      /^Shared resource found: ConfigMap shared\/one is part of applications shared and other/,
    );
    const { operation } = await world.sync("shared", request);
    assert.equal(`${operation.phase}: ${operation.message}`, `Failed: ${blockedBy.join()}`);
  });
});
