import { type ApplicationSetController, startApplicationSetController } from "@capstan/controllers";
import { isRecord } from "@capstan/formats";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState, type LiveState } from "@capstan/kube";
import { type ApplicationSet, isApplicationSet, isAppProject, type Manifest } from "@capstan/model";
import { diffSet, type SetDiff } from "@capstan/planning";
import { Registry } from "prom-client";
import { eventually, realClock } from "./real-clock.ts";
import { openSmallWorld, type SmallWorld } from "./small-world.ts";

const apiVersion = "argoproj.io/v1alpha1";
const namespace = "argocd";
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const limit = () => AbortSignal.timeout(60_000);

export interface SetWorld extends AsyncDisposable {
  readonly world: SmallWorld;
  /** Waits until no set is to be looked at. */
  idle(): Promise<void>;
  /** Another controller, as after a kill: nothing is known to it. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  create(object: Manifest): Promise<Manifest>;
  change(name: string, body: object, kind?: string): Promise<Manifest>;
  /** Waits until the controller's view of the cluster has the object in this version. */
  untilSeen(object: Manifest): Promise<unknown>;
  readSet(name: string): Promise<Manifest | undefined>;
  readApplication(name: string): Promise<Manifest | undefined>;
  /** Of Applications that begin so, those that are not being deleted. */
  namesOf(prefix: string): Promise<string[]>;
  untilNames(prefix: string, wanted: readonly string[]): Promise<unknown>;
  /** A condition of the set as text, `type=status reason: message`, that fits. */
  untilSaid(name: string, text: RegExp): Promise<string>;
  conditionsOf(name: string): Promise<string[]>;
  /** What the controller would do if the set that is there had this specification. */
  diff(name: string, spec: ApplicationSet["spec"]): Promise<SetDiff>;
}

/** Sets, and the controller that acts on them, on a cluster without a controller of Applications. */
export async function openSetWorld(): Promise<SetWorld> {
  const world = await openSmallWorld();
  await world.stopController();
  const live = createControlState({ client: world.kube, clock: realClock, log: quiet });
  await live.ready(limit());
  const { kube } = world;
  const start = () => startController(world, live);
  let controller = start();
  const ref = (name: string, kind: string) => ({ apiVersion, kind, namespace, name });
  const namesOf = async (prefix: string) => {
    const { items } = await kube.list({ apiVersion, kind: "Application", namespace }, limit());
    return items
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .map(({ metadata }) => metadata.name ?? "")
      .filter((name) => name.startsWith(prefix))
      .sort();
  };
  const readSet = (name: string) => kube.get(ref(name, "ApplicationSet"), limit());
  const conditionsOf = async (name: string) => {
    const status = (await readSet(name))?.status;
    const all: unknown[] = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : [];
    return all
      .filter(isRecord)
      .map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`);
  };
  const until = async <T>(read: () => Promise<T>, found: (value: T) => string | undefined) => {
    let last: T | undefined;
    return eventually(
      async () => {
        last = await read();
        return found(last);
      },
      { signal: limit(), describe: () => `is still ${JSON.stringify(last, undefined, 1)}` },
    );
  };
  return {
    world,
    idle: () => controller.idle(),
    async restart() {
      await controller[Symbol.asyncDispose]();
      controller = start();
    },
    async stop() {
      await controller[Symbol.asyncDispose]();
    },
    create: (object) => kube.create(object, { signal: limit() }),
    change: (name, body, kind = "ApplicationSet") =>
      kube.patch(ref(name, kind), { type: "merge", body }, { signal: limit() }),
    untilSeen: (object) => untilSeen(live, object),
    readSet,
    readApplication: (name) => kube.get(ref(name, "Application"), limit()),
    namesOf,
    untilNames: (prefix, wanted) =>
      until(
        () => namesOf(prefix),
        (names) => (names.join() === wanted.join() ? "there" : undefined),
      ),
    untilSaid: (name, text) =>
      until(
        () => conditionsOf(name),
        (said) => said.find((one) => text.test(one)),
      ),
    conditionsOf,
    diff: async (name, spec) => diffOf({ world, live }, { set: await readSet(name), spec }),
    async [Symbol.asyncDispose]() {
      await controller[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

function startController(
  { kube, repo, scripts, settings }: SmallWorld,
  live: LiveState,
): ApplicationSetController {
  const hosts = new HostCalls(realClock);
  const metrics = new Registry();
  const of = { kube, repo, hosts, scripts, settings, live, metrics, namespace };
  return startApplicationSetController({ ...of, clock: realClock, log: quiet });
}

function untilSeen(live: LiveState, { metadata: { uid = "", name, resourceVersion } }: Manifest) {
  return eventually(async () => live.byUid(uid)?.metadata.resourceVersion === resourceVersion || undefined, {
    signal: limit(),
    describe: () => `${name} is not seen`,
  });
}

/** By what the controller decides with. */
async function diffOf(
  { world: { kube, settings, repo, scripts }, live }: { world: SmallWorld; live: LiveState },
  { set, spec }: { set: Manifest | undefined; spec: ApplicationSet["spec"] },
): Promise<SetDiff> {
  if (!set || !isApplicationSet(set)) throw new Error("there is no such set");
  const findProject = (name: string) => {
    const found = live.get({ group: "argoproj.io", kind: "AppProject", namespace, name });
    return found && isAppProject(found) ? found : undefined;
  };
  const shared = {
    kube,
    live,
    repo,
    settings,
    jq: scripts.jq,
    clock: realClock,
    controlNamespace: namespace,
  };
  return diffSet({ ...shared, hosts: new HostCalls(realClock), findProject }, { ...set, spec }, limit());
}

/** A set of one generator, whose Applications are called after it and the parameter at `path`. */
export function generatorSet(name: string, generator: object, path: string): Manifest {
  return {
    apiVersion,
    kind: "ApplicationSet",
    metadata: { name, namespace },
    spec: {
      generators: [generator],
      template: {
        metadata: { name: `${name}-{{${path}}}` },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path: "." },
          destination: { name: "in-cluster", namespace: "x" },
        },
      },
    },
  };
}

/** A set of one list of names, each an Application of its name. */
export function listSet(
  name: string,
  names: readonly string[],
  { spec = {}, ...metadata }: { spec?: object; annotations?: Record<string, string> } = {},
): Manifest {
  return {
    apiVersion,
    kind: "ApplicationSet",
    metadata: { name, namespace, ...metadata },
    spec: {
      generators: listOf(names),
      template: {
        metadata: { name: "{{name}}" },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path: "{{name}}", targetRevision: "main" },
          destination: { name: "in-cluster", namespace: "{{name}}" },
        },
      },
      ...spec,
    },
  };
}

export function listOf(names: readonly string[]): object[] {
  return [{ list: { elements: names.map((name) => ({ name })) } }];
}
