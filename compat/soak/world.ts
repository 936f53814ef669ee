import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  type CapstanProcess,
  configMapText,
  type EmbeddedClusterProcess,
  freePorts,
  type HostedRepository,
  sketchApplication,
  startCapstan,
  startEmbeddedCluster,
  startGitServer,
} from "@capstan/testkit";
import { openGate } from "./gate.ts";

export interface SoakOptions {
  applications: number;
  repositories: number;
  /** timeout.reconciliation. */
  intervalMs: number;
  /** bin/capstan.js of the checkout whose `up` is played. */
  program?: string;
}

/** `capstan up` on a cluster of its own process, with applications from repositories behind a gate. */
export interface SoakWorld extends AsyncDisposable {
  readonly options: SoakOptions;
  readonly capstan: CapstanProcess;
  /** Asks the cluster itself, not Capstan. */
  readonly kube: KubeClient;
  readonly applications: readonly SoakApplication[];
  /** Commits a new value for some applications of one repository. */
  commit(repository: number, touched: readonly SoakApplication[]): Promise<void>;
  branch(repository: number, name: string): Promise<void>;
  shutRepositories(): Promise<void>;
  openRepositories(): Promise<void>;
  killCluster(): Promise<void>;
  startCluster(): Promise<void>;
  applySettings(data: Readonly<Record<string, string>>): Promise<void>;
}

export interface SoakApplication {
  readonly name: string;
  readonly repository: number;
  readonly namespace: string;
  /** What its ConfigMap should say. */
  value: string;
  /** What its source should be at. */
  revision: string;
  branch: string;
}

export const namespaces = ["soak-0", "soak-1", "soak-2", "soak-3"];
const signal = (): AbortSignal => AbortSignal.timeout(30_000);

export async function openSoakWorld(options: SoakOptions): Promise<SoakWorld> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-soak-cluster-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const [clusterPort = 0] = await freePorts(1);
  const start = (): Promise<EmbeddedClusterProcess> =>
    startEmbeddedCluster({ dataDir, flags: ["--cluster-port", `${clusterPort}`] });
  let cluster = await start();
  opened.defer(() => cluster[Symbol.asyncDispose]());
  const git = opened.use(await startGitServer());
  const gate = opened.use(await openGate({ port: Number(new URL(git.url).port) }));
  const { kubeconfig } = cluster;
  const program = options.program === undefined ? {} : { program: options.program };
  const flags = ["--kubeconfig", kubeconfig, "--no-samples"];
  const capstan = opened.use(await startCapstan({ flags, ...program }));
  const applications = sketch(options);
  const repositories = await createRepositories(options, applications, (name, files) =>
    git.createRepository(name, files),
  );
  const world: Omit<SoakWorld, typeof Symbol.asyncDispose> = {
    options,
    capstan,
    get kube() {
      return cluster.kube;
    },
    applications,
    commit: (index, touched) => commit(repositories, { index, touched, applications }),
    branch: async (index, name) => {
      await repositories[index]?.git("branch", "--force", name, "main");
    },
    shutRepositories: () => gate.shut(),
    openRepositories: () => gate.open(),
    killCluster: () => cluster.kill("SIGKILL"),
    async startCluster() {
      await cluster[Symbol.asyncDispose]();
      cluster = await start();
    },
    applySettings: (data) => applySettings(cluster.kube, { ...timeouts(options), ...data }),
  };
  await world.applySettings({});
  await createObjects(world, `http://127.0.0.1:${gate.port}`);
  const closing = opened.move();
  return Object.assign(world, { [Symbol.asyncDispose]: () => closing.disposeAsync() });
}

function sketch({ applications, repositories }: SoakOptions): SoakApplication[] {
  return Array.from({ length: applications }, (_, index) => ({
    name: `soak-${index}`,
    repository: index % repositories,
    namespace: namespaces[index % namespaces.length] ?? "",
    value: "first",
    revision: "",
    branch: "main",
  }));
}

const fileOf = ({ name }: SoakApplication): string => `apps/${name}/config.yaml`;

async function createRepositories(
  { repositories }: SoakOptions,
  applications: readonly SoakApplication[],
  create: (name: string, files: Record<string, string>) => Promise<HostedRepository>,
): Promise<HostedRepository[]> {
  const made: HostedRepository[] = [];
  for (let index = 0; index < repositories; index += 1) {
    const own = applications.filter(({ repository }) => repository === index);
    const files = own.map((app) => [fileOf(app), configMapText(app.name, app.value)]);
    const repository = await create(`repository-${index}`, Object.fromEntries(files));
    const revision = await repository.git("rev-parse", "HEAD");
    for (const app of own) app.revision = revision;
    made.push(repository);
  }
  return made;
}

let commits = 0;

async function commit(
  repositories: readonly HostedRepository[],
  {
    index,
    touched,
    applications,
  }: { index: number } & Record<"touched" | "applications", readonly SoakApplication[]>,
): Promise<void> {
  const repository = repositories[index];
  if (!repository) throw new Error(`there is no repository ${index}`);
  commits += 1;
  for (const app of touched) app.value = `commit ${commits}`;
  const files = touched.map((app) => [fileOf(app), configMapText(app.name, app.value)]);
  const revision = await repository.commit(Object.fromEntries(files));
  for (const app of applications) {
    if (app.repository !== index) continue;
    if (app.branch !== "main") await repository.git("branch", "--force", app.branch, "main");
    app.revision = revision;
  }
}

function timeouts({ intervalMs }: SoakOptions): Record<string, string> {
  return { "timeout.reconciliation": `${intervalMs}ms`, "timeout.reconciliation.jitter": "0s" };
}

async function applySettings(kube: KubeClient, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await kube.apply(manifest, { fieldManager: "soak", force: true, signal: signal() });
}

async function createObjects({ kube, applications }: Pick<SoakWorld, "kube" | "applications">, gate: string) {
  const create = (manifest: Manifest) => kube.create(manifest, { signal: signal() });
  for (const name of namespaces) await create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const { name, repository, namespace } of applications)
    await create(
      sketchApplication({
        name,
        repoURL: `${gate}/repository-${repository}.git`,
        path: `apps/${name}`,
        destination: { server: "https://kubernetes.default.svc", namespace },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      }),
    );
}
