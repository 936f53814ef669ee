import { Listeners } from "@capstan/flow";
import { type LiveChange, readSettings } from "@capstan/kube";
import { argoApiVersion as apiVersion, keyOf, keyText, type Manifest } from "@capstan/model";
import { openScripts } from "@capstan/planning";
import type { Call } from "../../call.ts";
import { createRights } from "../access/create-rights.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { createApplicationFeed } from "./application-feed.ts";
import { createApplicationIndex } from "./application-index.ts";
import { listApplications } from "./list-applications.ts";
import { watchApplications } from "./watch-applications.ts";

export interface AppSketch {
  readonly project?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly repoURL?: string;
  readonly destination?: object;
  readonly health?: string;
  readonly sync?: string;
  readonly automated?: object;
}

/** Applications in a cluster of nothing else, with the calls that list them. eve may see those of project team. */
export function applicationsWorld(policy = "p, eve, applications, get, team/*, allow") {
  const objects = new Map<string, Manifest>();
  const listeners = new Listeners<[LiveChange]>((error) => {
    throw error;
  });
  const live = {
    ready: async () => undefined,
    get: (key: Parameters<typeof keyText>[0]) => objects.get(keyText(key)),
    ofKind: (_group: string, kind: string) => [...objects.values()].filter((one) => one.kind === kind),
    listVersions: () => [],
    onChange: (listener: (change: LiveChange) => void) => listeners.add(listener),
  } as unknown as Parameters<typeof createApplicationFeed>[0]["live"];
  const settings = { current: settingsOf(policy) };
  const controlNamespace = "argocd";
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nothing sleeps")) };
  const log = { info: () => undefined, warn: () => undefined };
  const clusters = { open: () => [] } as unknown as Parameters<typeof createApplicationFeed>[0]["clusters"];
  const scripts = openScripts({ settings, clock, log });
  const base = { live, settings, controlNamespace, clock, log, clusters, scripts };
  const context = { ...base, rights: createRights(base) };
  const index = createApplicationIndex(context);
  const feed = createApplicationFeed(context);
  let version = 100;
  const tell = (previous: Manifest | undefined, current: Manifest | undefined): void => {
    const object = current ?? previous;
    if (!object) return;
    const key = keyOf(object);
    if (current) objects.set(keyText(key), current);
    else objects.delete(keyText(key));
    listeners.tell({ key, previous, current, apps: [], managed: false });
  };
  const put = (object: Manifest): void => {
    version += 1;
    object.metadata.resourceVersion = String(version);
    tell(objects.get(keyText(keyOf(object))), object);
  };
  const call = (user: string, signal: AbortSignal): Call => ({
    user: { name: user, groups: [], issuer: ownIssuer },
    address: "",
    signal,
  });
  return {
    index,
    put: (name: string, sketch: AppSketch = {}) => put(applicationOf(name, sketch)),
    putProject: (name: string, spec: object) =>
      put({ apiVersion, kind: "AppProject", metadata: { name, namespace: "argocd" }, spec }),
    remove: (name: string, namespace = "argocd") =>
      tell(objects.get(keyText(keyOf(applicationOf(name, { namespace })))), undefined),
    setPolicy: (text: string) => {
      settings.current = settingsOf(text);
    },
    list: (query: Parameters<ReturnType<typeof listApplications>>[0], user = "admin") =>
      listApplications({ index, feed })(query, call(user, AbortSignal.timeout(5_000))),
    watch: (
      query: Parameters<ReturnType<typeof watchApplications>>[0],
      { user = "admin", signal }: { user?: string; signal: AbortSignal },
    ) => watchApplications({ ...context, feed, index })(query, call(user, signal)),
  };
}

function settingsOf(policy: string) {
  const metadata = { name: "argocd-rbac-cm", namespace: "argocd" };
  return readSettings(
    [{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "policy.csv": policy } }],
    [],
  );
}

function applicationOf(name: string, sketch: AppSketch): Manifest {
  const {
    project = "default",
    namespace = "argocd",
    labels = {},
    repoURL = "https://git.example.com/repo",
  } = sketch;
  const {
    destination = { name: "in-cluster", namespace: name },
    health = "Healthy",
    sync = "Synced",
  } = sketch;
  const syncPolicy = sketch.automated ? { syncPolicy: { automated: sketch.automated } } : {};
  return {
    apiVersion,
    kind: "Application",
    metadata: { name, namespace, labels, uid: `uid-${namespace}-${name}` },
    spec: { project, source: { repoURL, path: "." }, destination, ...syncPolicy },
    status: { health: { status: health }, sync: { status: sync } },
  };
}
