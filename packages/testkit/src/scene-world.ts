import { createHash } from "node:crypto";
import { track } from "@capstan/engine";
import { canonicalJson } from "@capstan/formats";
import type { KubeRequest, KubeResponse } from "@capstan/kube";
import {
  type ApplicationSpec,
  type AppProject,
  annotationKeys,
  argoApiVersion,
  fieldManager,
  keyOf,
  type Manifest,
  type OperationState,
} from "@capstan/model";
import type { RepoServer, SyncPlanPreview, SyncPlanRequest } from "@capstan/wire";
import { type ApiWorld, openApiWorld } from "./api-world.ts";
import { sketchProject } from "./applications.ts";
import { eventually } from "./real-clock.ts";
import { plainAnswer, repoServerOf } from "./repo-server-of.ts";
import type { SmallWorld } from "./small-world.ts";
import { applicationRef, readObject } from "./small-world-steps.ts";

/** One application that has never been synced: what its repository holds, and what the cluster holds already. */
export interface Scene {
  /** Of the application, its path, its project and the namespace that it deploys to. */
  name: string;
  manifests: readonly Manifest[];
  /** With the instance name of the application that they belong to. */
  live: readonly { object: Manifest; owner: string }[];
  project?: Partial<AppProject["spec"]>;
  spec?: Partial<ApplicationSpec>;
  /** The destination's namespace is not there unless something lives in it; the others always are. */
  isNew?: boolean;
}

export interface SceneOutcome {
  operation: OperationState;
  /** URL paths in the application's own namespaces that the sync wrote or deleted, in order, each once. */
  writes: readonly string[];
}

/** The API in front of the controller on an embedded cluster; repositories hold what the scenes say. */
export interface SceneWorld extends AsyncDisposable {
  readonly api: ApiWorld;
  set(scene: Scene): Promise<void>;
  preview(name: string, request: Omit<SyncPlanRequest, "name">): Promise<SyncPlanPreview>;
  sync(name: string, request: Omit<SyncPlanRequest, "name">): Promise<SceneOutcome>;
  /** An object as it is, without what the server counts and what an apply notes on it. */
  read(
    ref: Pick<Manifest, "apiVersion" | "kind"> & { namespace: string; name: string },
  ): Promise<Manifest | undefined>;
}

const limit = () => AbortSignal.timeout(100_000);
const server = "https://kubernetes.default.svc";

export async function openSceneWorld(
  intercept?: (request: KubeRequest) => Promise<KubeResponse | undefined> | undefined,
): Promise<SceneWorld> {
  const rendered = new Map<string, readonly Manifest[]>();
  const api = await openApiWorld({ repo: repoServer(rendered), ...(intercept ? { intercept } : {}) });
  const { world } = api;
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await api.request("POST", `/api/v1/applications/${path}`, { body });
    if (answer.status === 200) return answer.body;
    throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  return {
    api,
    async set(scene) {
      rendered.set(scene.name, scene.manifests);
      await setScene(world, scene);
    },
    preview: async (name, request) => Object(await ask(`${name}/sync-plan`, request)),
    async sync(name, request) {
      const before = world.requests.length;
      await ask(`${name}/sync`, request);
      const operation = await eventually(
        async () => {
          const { operationState } = Object((await readObject(world, applicationRef(name)))?.status);
          return operationState?.finishedAt === undefined ? undefined : operationState;
        },
        { signal: limit(), describe: () => `the sync of ${name} does not end` },
      );
      const paths = world.requests
        .slice(before)
        .filter(isWrite)
        .map(({ url }) => pathOf(url));
      const own = paths.filter((path) => path.startsWith(`/api/v1/namespaces/${name}`));
      return { operation, writes: [...new Set(own)] };
    },
    async read(ref) {
      const found = await world.kube.get(ref, limit());
      if (!found) return undefined;
      const { resourceVersion: _, managedFields: __, generation: ___, ...metadata } = found.metadata;
      const { [annotationKeys.lastApplied]: ____, ...annotations } = metadata.annotations ?? {};
      return { ...found, metadata: { ...metadata, annotations } };
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

async function setScene(
  world: SmallWorld,
  { name, manifests, live, project, spec, isNew }: Scene,
): Promise<void> {
  const inGit = manifests.map(({ metadata }) => metadata.namespace ?? name);
  const held = live.map(({ object }) => object.metadata.namespace ?? name);
  const needed = isNew ? [...inGit.filter((one) => one !== name), ...held] : [name, ...inGit, ...held];
  for (const namespace of new Set(needed)) {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await world.kube.create(object, { signal: limit() });
  }
  const { tracking } = world.settings.current.general;
  for (const { object, owner } of live) {
    const tracked = track(object, { instance: owner, namespace: name }, tracking);
    await world.kube.apply(tracked, { fieldManager, force: true, signal: limit() });
    await eventually(() => world.cluster.live.get(keyOf(object)), {
      signal: limit(),
      describe: () => "unseen",
    });
  }
  await world.kube.create(sketchProject(name, project), { signal: limit() });
  await world.kube.create(applicationOf(name, spec), { signal: limit() });
  await eventually(async () => Object((await readObject(world, applicationRef(name)))?.status).sync?.status, {
    signal: limit(),
    describe: () => `application ${name} was never compared`,
  });
}

function applicationOf(name: string, spec: Scene["spec"]): Manifest {
  const source = { repoURL: "https://git.example/scenes", path: name };
  const metadata = { name, namespace: "argocd" };
  const own = { project: name, source, destination: { server, namespace: name } };
  return { apiVersion: argoApiVersion, kind: "Application", metadata, spec: { ...own, ...spec } };
}

function isWrite({ method, url }: KubeRequest): boolean {
  return (
    method !== "GET" && !url.includes("dryRun") && !url.includes("argoproj.io") && !url.includes("/events")
  );
}

const pathOf = (url: string): string => url.split("?")[0] ?? "";

const revision = "0123456789012345678901234567890123456789";

function repoServer(rendered: ReadonlyMap<string, readonly Manifest[]>): RepoServer {
  return repoServerOf({
    async generateManifests({ source }) {
      const manifests = (rendered.get(source.path ?? "") ?? []).map((manifest) => ({
        manifest,
        digest: createHash("sha256").update(canonicalJson(manifest)).digest("hex"),
      }));
      return {
        manifests,
        revision,
        ...plainAnswer,
      };
    },
    resolveRevision: async () => ({ revision, ambiguous: revision }),
  });
}
