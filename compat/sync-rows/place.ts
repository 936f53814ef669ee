import { after, before } from "node:test";
import type { SyncWindow } from "@capstan/model";
import {
  type ApplicationView,
  createGitRepository,
  eventually,
  type Files,
  type GitRepository,
  sketchApplication,
  sketchProject,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  openSmallWorld,
  readObject,
  type SmallWorld,
  type SmallWorldOptions,
  untilOperation,
} from "@capstan/testkit/worlds";

export const limit = () => AbortSignal.timeout(100_000);

/** How healthy a ConfigMap is stands in its data: a test decides when a wave or a hook is done, on any cluster. */
const health =
  'return { status = (obj.data or {}).health or "Healthy", message = (obj.data or {}).message or "" }';

/** One world for the tests of a file, as `CAPSTAN_TEST_CLUSTER` says on an embedded cluster or a real one. */
export function shareWorld(options: SmallWorldOptions = {}): () => SmallWorld {
  let world: SmallWorld | undefined;
  before(async () => {
    world = await openSmallWorld(options);
    await applySettings(world, { "resource.customizations.health.ConfigMap": health });
  });
  after(() => world?.[Symbol.asyncDispose]());
  return () => {
    if (!world) throw new Error("no test has begun");
    return world;
  };
}

export async function applySettings(world: SmallWorld, data: Record<string, string>): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  // Each under a name of its own: what was set before stays.
  const fieldManager = `test-${Object.keys(data)
    .join("-")
    .replaceAll(/[^a-zA-Z-]/g, "-")}`;
  await world.kube.apply(settings, { fieldManager, force: true, signal: limit() });
  const isRead = () =>
    Object.keys(data).every((key) => world.settings.current.general.raw[key] === data[key]);
  await eventually(() => isRead() || undefined, {
    signal: limit(),
    describe: () => "the settings were not read",
  });
}

export interface Place extends AsyncDisposable {
  readonly git: GitRepository;
  readonly world: SmallWorld;
  readonly name: string;
}

export interface PlaceOptions {
  spec?: Record<string, unknown>;
  finalizers?: readonly string[];
  annotations?: Readonly<Record<string, string>>;
}

/** Makes applications of their own, not automated, each deploying to a namespace of its name, which is made for it. */
export const placeIn =
  (world: SmallWorld) =>
  async (
    name: string,
    files: Files,
    { spec = {}, finalizers = [], annotations = {} }: PlaceOptions = {},
  ): Promise<Place> => {
    const git = await createGitRepository(files);
    const app = sketchApplication({ name, repoURL: git.url, path: "app", syncPolicy: {} });
    const metadata = { ...app.metadata, finalizers: [...finalizers], annotations };
    await world.kube.create(
      { ...app, metadata, spec: { ...Object(app.spec), ...spec } },
      { signal: limit() },
    );
    await untilApplication(world.kube, name, ({ sync }) => sync !== "");
    return { git, world, name, [Symbol.asyncDispose]: () => git[Symbol.asyncDispose]() };
  };

/** An automated application of a project of its own, with these windows. */
export async function placeWithWindows(
  world: SmallWorld,
  name: string,
  { files, windows, spec = {} }: { files: Files; windows: readonly SyncWindow[]; spec?: object },
): Promise<Place> {
  await world.kube.create(sketchProject(name, { syncWindows: [...windows] }), { signal: limit() });
  const syncPolicy = { automated: {}, syncOptions: ["CreateNamespace=true"] };
  return placeIn(world)(name, files, { spec: { project: name, syncPolicy, ...spec } });
}

/** A window keeps its automation out, which is said. */
export const untilBlocked = ({ world, name }: Pick<Place, "world" | "name">): Promise<true> =>
  eventually(
    () =>
      world.log.some(
        ({ message, facts }) => message === "automated sync is blocked" && facts.app === `argocd/${name}`,
      ) || undefined,
    { signal: limit(), describe: () => `${name} is not said to be blocked` },
  );

/** What `app sync` asks for: what an earlier operation ended with is gone at once, as with argocd-server. */
export async function begin(
  { world, name }: Place,
  { retry, ...sync }: Record<string, unknown> = {},
): Promise<void> {
  const asked = { syncOptions: ["CreateNamespace=true"], ...sync };
  const operation = { sync: asked, initiatedBy: { username: "admin" }, ...(retry ? { retry } : {}) };
  await change(world, name, { operation, status: { operationState: null } });
}

export async function sync(there: Place, asked: Record<string, unknown> = {}): Promise<ApplicationView> {
  await begin(there, asked);
  return untilOperation(there.world, there.name);
}

export async function change(world: SmallWorld, name: string, body: object): Promise<void> {
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: limit() });
}

/** As `app terminate-op` does. */
export const terminate = ({ world, name }: Place): Promise<void> =>
  change(world, name, { status: { operationState: { phase: "Terminating" } } });

export async function statusOf({ world, name }: Place) {
  return Object(Object(await readObject(world, applicationRef(name))).status);
}

/** "PreSync one Succeeded", in the order of the results. */
export async function results(there: Place): Promise<string[]> {
  const { operationState } = await statusOf(there);
  const rows: { syncPhase?: string; name?: string; hookPhase?: string }[] =
    Object(Object(operationState).syncResult).resources ?? [];
  return rows.map(({ syncPhase, name, hookPhase }) => `${syncPhase} ${name} ${hookPhase}`);
}

/** What was asked of the API server when an object was deleted: the object's name with its propagation policy. */
export const deletionsSince = (world: SmallWorld, begun: number): string[] =>
  world.requests
    .slice(begun)
    .filter(({ method, url }) => method === "DELETE" && url.includes("/configmaps/"))
    .map(({ url, body }) => `${url.split("/").at(-1)} ${JSON.parse(body ?? "{}").propagationPolicy}`);

const own = "argocd.argoproj.io/";
export const marks = (fields: Readonly<Record<string, string>>) => ({
  annotations: Object.fromEntries(Object.entries(fields).map(([key, value]) => [`${own}${key}`, value])),
});

/** A ConfigMap as healthy as `health` says. */
export function judgedText(
  name: string,
  health: string,
  fields: Readonly<Record<string, string>> = {},
): string {
  const { annotations } = marks(fields);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, annotations },
    data: { health },
  });
}

/** Makes a ConfigMap of that namespace as healthy as that, as its controller would. */
export async function judge({ world, name: namespace }: Place, name: string, health: string): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
  await world.kube.patch(ref, { type: "merge", body: { data: { health } } }, { signal: limit() });
}

interface DefinedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly version?: string;
  /** Whether its status is written apart. */
  readonly hasStatus?: boolean;
}

/** The definition of a kind, namespaced, of which any field may stand in an object. */
export function definitionOf({ group, kind, plural, version = "v1", hasStatus }: DefinedKind) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const subresources = hasStatus ? { subresources: { status: {} } } : {};
  const versions = [{ name: version, served: true, storage: true, schema, ...subresources }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions,
    },
  };
}
