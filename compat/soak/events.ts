import { setTimeout as sleep } from "node:timers/promises";
import { readDescendants } from "./process-figures.ts";
import { namespaces, type SoakApplication, type SoakWorld } from "./world.ts";

/** Something that happens while commits go on; afterwards everything is to be at the newest one. */
export interface SoakEvent {
  name: string;
  happen(world: SoakWorld): Promise<"happened" | "not possible">;
}

const signal = (): AbortSignal => AbortSignal.timeout(30_000);
const applicationOf = ({ name }: SoakApplication) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  namespace: "argocd",
  name,
});

async function patch(world: SoakWorld, app: SoakApplication, body: object): Promise<void> {
  await world.kube.patch(applicationOf(app), { type: "merge", body }, { signal: signal() });
}

function event(name: string, happen: (world: SoakWorld) => Promise<void>): SoakEvent {
  return {
    name,
    async happen(world) {
      await happen(world);
      return "happened";
    },
  };
}

let rounds = 0;
const exclusions = () =>
  rounds++ % 2 === 0 ? "- apiGroups: [batch, argoproj.io]\n  kinds: ['*']\n  clusters: ['*']\n" : "";

const clusterSecret = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "soak-own-cluster" };

async function toggleClusterSecret({ kube }: SoakWorld): Promise<void> {
  const { name, namespace, ...type } = clusterSecret;
  if (await kube.get(clusterSecret, signal())) {
    await kube.delete(clusterSecret, { signal: signal() });
    return;
  }
  const labels = { "argocd.argoproj.io/secret-type": "cluster" };
  const stringData = { name: "own", server: "https://kubernetes.default.svc", config: "{}" };
  await kube.create({ ...type, metadata: { name, namespace, labels }, stringData }, { signal: signal() });
}

async function changeProject({ kube }: SoakWorld): Promise<void> {
  const ref = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  rounds += 1;
  const body = { spec: { description: `round ${rounds}` } };
  await kube.patch(ref, { type: "merge", body }, { signal: signal() });
}

/** With each of these the former queue lost the timers of the applications. */
async function refreshSome(world: SoakWorld): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    for (const app of world.applications.filter((_, index) => index % 3 === turn))
      await patch(world, app, { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } });
    await sleep(world.options.intervalMs / 4);
  }
}

async function syncSome(world: SoakWorld): Promise<void> {
  const operation = { sync: {}, initiatedBy: { username: "soak" } };
  for (const app of world.applications.slice(0, 10)) await patch(world, app, { operation });
}

async function skipOne(world: SoakWorld): Promise<void> {
  const [app] = world.applications;
  if (!app) return;
  const annotate = (value: string | null) =>
    patch(world, app, { metadata: { annotations: { "argocd.argoproj.io/skip-reconcile": value } } });
  await annotate("true");
  await world.applySettings({ "resource.customLabels": `round-${rounds++}` });
  await sleep(world.options.intervalMs / 2);
  await annotate(null);
}

/** The application asks for the branch before it is there. */
async function followNewBranch(world: SoakWorld): Promise<void> {
  const app = world.applications.at(-1);
  if (!app) return;
  const branch = `release-${rounds++}`;
  await patch(world, app, { spec: { source: { targetRevision: branch } } });
  await sleep(world.options.intervalMs / 4);
  await world.branch(app.repository, branch);
  app.branch = branch;
}

async function drift(world: SoakWorld): Promise<void> {
  for (const app of world.applications.slice(0, 10)) {
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: app.namespace, name: app.name };
    await world.kube.patch(ref, { type: "merge", body: { data: { key: "drifted" } } }, { signal: signal() });
  }
  for (const namespace of namespaces)
    await world.kube.patch(
      { apiVersion: "v1", kind: "Namespace", name: namespace },
      { type: "merge", body: { metadata: { labels: { round: `${rounds++}` } } } },
      { signal: signal() },
    );
}

const repoServer = /repo-server/;

export const events: readonly SoakEvent[] = [
  event("nothing but commits", async () => undefined),
  event("applications are refreshed at all times", refreshSome),
  event("resource.exclusions changes", (world) =>
    world.applySettings({ "resource.exclusions": exclusions() }),
  ),
  event("timeout.reconciliation is an hour for a moment", async (world) => {
    await world.applySettings({ "timeout.reconciliation": "1h" });
    await sleep(world.options.intervalMs / 2);
    await world.applySettings({});
  }),
  event("a cluster Secret for the own cluster comes or goes", toggleClusterSecret),
  event("the project changes", changeProject),
  event("syncs are asked for", syncSome),
  event("objects drift", drift),
  event("an application is skipped while settings change", skipOne),
  event("an application follows a branch that is pushed later", followNewBranch),
  event("the repositories are away", async (world) => {
    await world.shutRepositories();
    await sleep(world.options.intervalMs * 2);
    await world.openRepositories();
  }),
  event("the cluster is away", async (world) => {
    await world.killCluster();
    await sleep(world.options.intervalMs);
    await world.startCluster();
  }),
  {
    name: "the repo server is killed",
    async happen({ capstan }) {
      const processes = await readDescendants(capstan.status.pid);
      const found = processes.find(({ command }) => repoServer.test(command));
      if (!found) return "not possible";
      process.kill(found.pid, "SIGKILL");
      return "happened";
    },
  },
];
