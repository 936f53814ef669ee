import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson } from "@capstan/formats";
import { argoApiVersion, type Manifest } from "@capstan/model";
import { eventually, plainAnswer, repoServerOf, sketchApplication } from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  type SmallWorld,
} from "@capstan/testkit/worlds";
import type { ManifestRequest } from "@capstan/wire";
import type { Standing } from "./standings.ts";

const limit = () => AbortSignal.timeout(60_000);
const name = "web";

/** A repository of one ConfigMap; what is asked of it is counted. */
function createRepository() {
  const state = { commit: 1, content: "first", installed: "these plugins", renders: 0, asks: 0, lasts: true };
  const at = () => ({ revision: `commit ${state.commit} of ${state.content}`, askedAt: Date.now() });
  const inputsOf = () => `${state.content} ${state.installed}`;
  const idOf = ({ source }: ManifestRequest) => `${source.path} ${state.commit} ${inputsOf()}`;
  const repo = repoServerOf({
    async identifyAnswer({ known, ...request }) {
      state.asks += 1;
      return { id: idOf(request), ...(known.inputs === inputsOf() ? { inputs: known.inputs } : {}), ...at() };
    },
    async generateManifests(request) {
      state.renders += 1;
      const { content } = state;
      const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { content } };
      return {
        manifests: [{ manifest, digest: canonicalJson(manifest) }],
        ...at(),
        ...(state.lasts ? { key: { id: idOf(request), inputs: inputsOf() } } : {}),
        ...plainAnswer,
      };
    },
  });
  return { repo, state };
}

interface Place extends AsyncDisposable {
  readonly world: SmallWorld;
  readonly state: ReturnType<typeof createRepository>["state"];
  readonly kept: Map<string, Standing>;
}

/** One application, in sync. */
async function openPlace(): Promise<Place> {
  const { repo, state } = createRepository();
  const kept = new Map<string, Standing>();
  const standings = {
    get: (app: string) => kept.get(app),
    set: (app: string, standing: Standing | undefined) =>
      void (standing ? kept.set(app, standing) : kept.delete(app)),
  };
  const world = await openSmallWorld({ repo, standings });
  const syncPolicy = { automated: {}, syncOptions: ["CreateNamespace=true"] };
  const app = sketchApplication({ name, repoURL: "https://git.test/one", syncPolicy });
  await world.kube.create(app, { signal: limit() });
  const place = { world, state, kept, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  await untilStatus(
    place,
    ({ sync, health, operationState }) =>
      sync?.status === "Synced" && health?.status === "Healthy" && operationState?.phase === "Succeeded",
  );
  await world.controller.idle();
  return place;
}

interface Status {
  readonly sync?: { status?: string; revision?: string };
  readonly health?: { status?: string };
  readonly operationState?: { phase?: string };
  readonly conditions?: readonly { type: string; message: string }[];
}

async function statusOf({ world }: Place): Promise<Status> {
  return Object(await readObject(world, applicationRef(name))).status ?? {};
}

async function untilStatus(place: Place, is: (status: Status) => boolean): Promise<void> {
  await eventually(async () => is(await statusOf(place)) || undefined, {
    signal: limit(),
    describe: () => JSON.stringify(place.state),
  });
}

const nothing = async () => undefined;

/** Ends the controller, changes what is to be changed while nobody looks, and starts another. */
async function restarted(place: Place, meanwhile: () => Promise<unknown>): Promise<void> {
  const { world, state, kept } = place;
  await world.stopController();
  assert.ok(kept.has(`argocd/${name}`), "it was not written down how it was found");
  await meanwhile();
  [state.renders, state.asks] = [0, 0];
  await world.restartController();
  await world.controller.idle();
}

const merge = (world: SmallWorld, ref: Parameters<SmallWorld["kube"]["patch"]>[0], body: object) =>
  world.kube.patch(ref, { type: "merge", body }, { signal: limit() });

const liveRef = () => configMapRef(name, name);

/** What is read of the cluster goes on in this world while no controller looks. */
async function untilLive(
  { cluster }: SmallWorld,
  called: string,
  is: (live: Manifest | undefined) => boolean,
): Promise<void> {
  const key = { group: "", kind: "ConfigMap", namespace: name, name: called };
  await eventually(() => is(cluster.live.get(key)) || undefined, {
    signal: limit(),
    describe: () => `the change of ${called} is not seen`,
  });
}

async function applySettings(world: SmallWorld, data: Record<string, string>): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const settings: Manifest = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await world.kube.apply(settings, { fieldManager: "test", force: true, signal: limit() });
  await eventually(
    () =>
      Object.keys(data).every((key) => world.settings.current.general.raw[key] === data[key]) || undefined,
    { signal: limit(), describe: () => "the settings were not read" },
  );
}

test("after a restart that finds all as it was nothing is rendered, compared or written", async () => {
  await using place = await openPlace();
  const before = await readObject(place.world, applicationRef(name));
  await restarted(place, nothing);
  assert.deepEqual([place.state.renders, place.state.asks], [0, 1]);
  assert.deepEqual(await readObject(place.world, applicationRef(name)), before);
});

test("what stands is compared as soon as something is new: its object, the commit, a refresh", async () => {
  await using place = await openPlace();
  await restarted(place, nothing);
  await refresh(place.world, name);
  await eventually(() => place.state.renders === 1 || undefined, {
    signal: limit(),
    describe: () => "not refreshed",
  });
  await place.world.controller.idle();
  await restarted(place, nothing);
  assert.equal(place.state.renders, 0);
  await merge(place.world, liveRef(), { data: { content: "somebody's" } });
  await untilStatus(place, ({ sync }) => sync?.status === "OutOfSync");
  assert.ok(place.state.renders > 0);
});

test("a commit that leaves its files as they were is told in its status, and nothing is rendered for it", async () => {
  await using place = await openPlace();
  const { state, world } = place;
  await restarted(place, async () => {
    state.commit = 2;
  });
  await untilStatus(place, ({ sync }) => sync?.revision === "commit 2 of first");
  for (const commit of [3, 4]) {
    state.commit = commit;
    await world.restartController();
    await world.controller.idle();
    await untilStatus(place, ({ sync }) => sync?.revision === `commit ${commit} of first`);
  }
  assert.equal(state.renders, 0);
  // Of this commit nothing was synced yet.
  await merge(world, liveRef(), { data: { content: "somebody's" } });
  await eventually(() => state.renders > 0 || undefined, { signal: limit(), describe: () => "not compared" });
  await untilLive(world, name, (live) => Object(live?.data).content === "first");
});

const changes: Record<
  string,
  {
    readonly change: (place: Place) => Promise<unknown>;
    readonly found: (status: Status) => boolean;
  }
> = {
  "a commit": {
    change: async ({ state }) => {
      state.content = "second";
    },
    found: ({ sync }) => sync?.status === "Synced" && sync.revision === "commit 1 of second",
  },
  "a change of its object": {
    change: async ({ world }) => {
      await merge(world, liveRef(), { data: { content: "somebody's" } });
      await untilLive(world, name, (live) => Object(live?.data).content === "somebody's");
    },
    found: ({ sync }) => sync?.status === "OutOfSync",
  },
  "the end of its object": {
    change: async ({ world }) => {
      await world.kube.delete(liveRef(), { signal: limit() });
      await untilLive(world, name, (live) => live === undefined);
    },
    found: ({ sync, health }) => sync?.status === "OutOfSync" && health?.status === "Missing",
  },
  "another object with its tracking": {
    change: async ({ world }) => {
      const live = await readObject(world, liveRef());
      const id = live?.metadata.annotations?.["argocd.argoproj.io/tracking-id"] ?? "";
      const annotations = { "argocd.argoproj.io/tracking-id": id.replace(/web$/, "left") };
      const metadata = { name: "left", namespace: name, annotations };
      await world.kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata }, { signal: limit() });
      await untilLive(world, "left", (live) => live !== undefined);
    },
    found: ({ sync }) => sync?.status === "OutOfSync",
  },
  "a health script": {
    change: async ({ world }) =>
      applySettings(world, {
        "resource.customizations.health.ConfigMap":
          'return {status = "Degraded", message = "as the script says"}',
      }),
    found: ({ health }) => health?.status === "Degraded",
  },
  "another way of tracking": {
    change: ({ world }) => applySettings(world, { "application.resourceTrackingMethod": "label" }),
    found: ({ sync }) => sync?.status === "OutOfSync",
  },
  "a project that forbids the kind": {
    change: ({ world }) =>
      merge(
        world,
        { apiVersion: argoApiVersion, kind: "AppProject", namespace: "argocd", name: "default" },
        { spec: { namespaceResourceBlacklist: [{ group: "", kind: "ConfigMap" }] } },
      ),
    found: ({ sync, conditions = [] }) => sync?.status !== "Synced" || conditions.length > 0,
  },
  "a project that asks for orphans": {
    change: ({ world }) =>
      merge(
        world,
        { apiVersion: argoApiVersion, kind: "AppProject", namespace: "argocd", name: "default" },
        { spec: { orphanedResources: { warn: true } } },
      ),
    found: ({ sync }) => sync?.status === "Synced",
  },
  "an edit of its status": {
    change: ({ world }) => merge(world, applicationRef(name), { status: { health: { status: "Degraded" } } }),
    found: ({ health }) => health?.status === "Healthy",
  },
  "an edit of its spec": {
    change: ({ world }) => merge(world, applicationRef(name), { spec: { source: { path: "elsewhere" } } }),
    found: () => true,
  },
};

for (const [what, { change, found }] of Object.entries(changes))
  test(`while nobody looked: ${what}: it is compared`, async () => {
    await using place = await openPlace();
    await restarted(place, () => change(place));
    assert.ok(place.state.renders > 0, "nothing was rendered");
    await untilStatus(place, found);
  });

test("other plugins, an answer that does not last, and a record of something else cost a comparison", async () => {
  await using place = await openPlace();
  const { state, kept, world } = place;
  await restarted(place, async () => {
    state.installed = "others";
  });
  assert.equal(state.renders, 1);
  await restarted(place, async () => {
    kept.set(`argocd/${name}`, { facts: "of something else", keys: [] });
  });
  assert.equal(state.renders, 1);
  state.lasts = false;
  await refresh(world, name);
  await eventually(() => state.renders === 2 || undefined, {
    signal: limit(),
    describe: () => "not refreshed",
  });
  await world.controller.idle();
  await world.stopController();
  assert.equal(kept.size, 0);
  await world.restartController();
});

test("an application that goes takes its record with it", async () => {
  await using place = await openPlace();
  await restarted(place, nothing);
  await place.world.kube.delete(applicationRef(name), { signal: limit() });
  await eventually(() => place.kept.size === 0 || undefined, {
    signal: limit(),
    describe: () => "it is kept",
  });
});
