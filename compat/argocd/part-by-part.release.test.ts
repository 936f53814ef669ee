/**
 * A hundred applications of Argo CD on the real control plane are taken over part by part, and given back: nothing that
 * is deployed is written on the way, by the API server's own audit log.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import {
  configMapText,
  createGitRepository,
  eventually,
  type GitRepository,
  lackingArgoCD,
  lackingRealCluster,
  type RealCluster,
  readApplications,
  sketchApplication,
  startArgoCD,
  startProcess,
  startRealCluster,
  type TestProcess,
  untilServing,
} from "@capstan/testkit";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const limitMs = 400_000;
const limit = () => AbortSignal.timeout(limitMs);
const count = 100;
const names = Array.from({ length: count }, (_, index) => `taken-${String(index).padStart(3, "0")}`);
const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };

/** Without replicas a Deployment is well on a cluster that has no nodes. */
const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 0
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "registry.example.com/${name}:1", ports: [{ containerPort: 80 }] }] }
`;
const service = (name: string) => `apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
`;

const shared: Record<string, string> = {
  "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
  "chart/values.yaml": "greeting: hello\n",
  "chart/templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-settings", labels: { release: "{{ .Release.Name }}" } }
data: { greeting: {{ .Values.greeting | quote }}, kube: "{{ .Capabilities.KubeVersion.Major }}" }
---
${deployment("{{ .Release.Name }}")}`,
  "overlay/kustomization.yaml":
    "resources: [all.yaml]\nconfigMapGenerator: [{ name: settings, literals: [a=1] }]\n",
  "overlay/all.yaml": `${deployment("web")}---\n${service("web")}`,
  "jsonnet/main.jsonnet": `function(greeting="hello") [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "of-jsonnet" }, data: { greeting: greeting } },
]
`,
  "values/more.yaml": "greeting: from another source\n",
};

/** Five kinds of sources, each application's another one. */
function sourceOf(index: number, repoURL: string): Record<string, unknown> {
  const name = names[index] ?? "";
  const at = { repoURL, targetRevision: "main" };
  switch (index % 5) {
    case 0:
      return { source: { ...at, path: `plain/${name}` } };
    case 1:
      return { source: { ...at, path: "chart", helm: { parameters: [{ name: "greeting", value: name }] } } };
    case 2:
      return {
        source: {
          ...at,
          path: "overlay",
          kustomize: { namePrefix: `k${index}-`, commonLabels: { n: name } },
        },
      };
    case 3:
      return {
        source: {
          ...at,
          path: "jsonnet",
          directory: { jsonnet: { tlas: [{ name: "greeting", value: name }] } },
        },
      };
    default:
      return {
        sources: [
          { ...at, path: "chart", helm: { valueFiles: ["$values/values/more.yaml"] } },
          { ...at, ref: "values" },
          { ...at, path: `plain/${name}` },
        ],
      };
  }
}

function createRepository(): Promise<GitRepository> {
  const plain = names.map((name) => [
    `plain/${name}/all.yaml`,
    `${configMapText("settings", name)}---\n${service("plain")}---\n${deployment("plain")}`,
  ]);
  return createGitRepository({ ...shared, ...Object.fromEntries(plain) });
}

async function createAll(kube: KubeClient, repoURL: string): Promise<void> {
  for (const [index, name] of names.entries()) {
    const { spec, ...rest } = sketchApplication({ name, repoURL });
    assert.ok(isRecord(spec));
    const { source: _, ...others } = spec;
    const body = { ...rest, spec: { ...others, ...sourceOf(index, repoURL) } };
    await kube.create(body, { signal: limit() });
  }
}

/** Every application, rendered and compared anew by whoever works now. */
async function untilLookedAt(kube: KubeClient, revision: string, told: () => string): Promise<void> {
  const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } };
  for (const name of names)
    await kube.patch({ ...application, name }, { type: "merge", body }, { signal: limit() });
  let behind: string[] = [];
  await eventually(
    async () => {
      const { items } = await kube.list({ ...application }, limit());
      const refreshing = items.filter(
        ({ metadata }) => metadata.annotations?.["argocd.argoproj.io/refresh"] !== undefined,
      );
      const views = await readApplications(kube, limit());
      const unsettled = views.filter(
        ({ sync, health, revision: at }) =>
          sync !== "Synced" || health !== "Healthy" || (at !== "" && at !== revision),
      );
      behind = [
        ...refreshing.map(({ metadata }) => `${metadata.name} is not looked at`),
        ...unsettled.map((view) => JSON.stringify(view)),
      ];
      return (views.length === count && behind.length === 0) || undefined;
    },
    {
      signal: limit(),
      describe: () => `${behind.length} behind:\n${behind.slice(0, 3).join("\n")}\n${told()}`,
    },
  );
}

/** By application, as the server has them of its repo server. */
async function manifestsOf(url: string): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  for (const name of names) {
    const answer = await eventually(
      () => fetch(`${url}/api/v1/applications/${name}/manifests`, { signal: limit() }).catch(() => undefined),
      { signal: limit(), describe: () => `${url} does not answer` },
    );
    const body: unknown = await answer.json();
    assert.ok(answer.status === 200 && isRecord(body) && Array.isArray(body.manifests), JSON.stringify(body));
    found.set(
      name,
      body.manifests.map((text) => JSON.parse(String(text))),
    );
  }
  return found;
}

/** Of what is deployed, or the namespaces that it is in; by line of the log from there on. */
async function writesSince(log: string, lines: number): Promise<string[]> {
  const all = (await readFile(log, "utf8")).split("\n").slice(lines);
  return all.flatMap((line) => {
    if (line === "") return [];
    const event: unknown = JSON.parse(line);
    if (!isRecord(event) || !isRecord(event.objectRef) || !isRecord(event.user)) return [];
    const { resource, namespace, name } = event.objectRef;
    const isTheirs = String(namespace ?? name).startsWith("taken-");
    const isOfCluster = String(event.user.username).startsWith("system:");
    if (!isTheirs || isOfCluster || /[?&]dryRun=/.test(String(event.requestURI))) return [];
    return [`${event.userAgent}: ${event.verb} ${resource} ${namespace}/${name}`];
  });
}

const linesOf = async (log: string): Promise<number> => (await readFile(log, "utf8")).split("\n").length - 1;

interface Ours {
  start(
    part: string,
    flags: readonly string[],
    ready: RegExp,
  ): Promise<{ program: TestProcess; found: string }>;
}

/** Programs of Capstan on the cluster, which end with the stage. */
function openOurs(opened: AsyncDisposableStack, cluster: RealCluster, dir: string): Ours {
  let started = 0;
  return {
    async start(part, flags, ready) {
      started += 1;
      const data = ["--data", join(dir, `${part}-${started}`), "--kubeconfig", cluster.kubeconfig];
      const words = [launcher, part, ...data, ...flags];
      const program = opened.use(startProcess(process.execPath, words, {}));
      const found = await untilServing(`capstan ${part}`, program, () => ready.exec(program.output())?.[1]);
      return { program, found };
    },
  };
}

test("a hundred applications are taken over part by part, and given back: equal manifests, nothing written", {
  skip: lackingArgoCD() || lackingRealCluster(),
  timeout: 3_000_000,
}, async (t) => {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-parts-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const log = join(dir, "audit.log");
  const repository = opened.use(await createRepository());
  const revision = await repository.git("rev-parse", "HEAD");
  const cluster = opened.use(await startRealCluster({ auditLog: log }));
  const { kube } = cluster;
  const ours = (stack: AsyncDisposableStack): Ours => openOurs(stack, cluster, dir);
  let expected: Map<string, unknown[]> | undefined;
  const judge = async (stage: string, url: string, told: () => string): Promise<void> => {
    const lines = await linesOf(log);
    await untilLookedAt(kube, revision, told);
    const manifests = await manifestsOf(url);
    if (expected) {
      for (const name of names)
        assert.deepEqual(manifests.get(name), expected.get(name), `${stage}: ${name}`);
      assert.deepEqual(await writesSince(log, lines), [], stage);
    }
    expected ??= manifests;
    t.diagnostic(`${stage}: ${count} looked at, equal manifests, nothing deployed was written`);
  };
  const controllerFlags = ["--metrics-port", "0"];
  const serverFlags = ["--port", "0", "--disable-auth", "--insecure"];
  const own = ["--port", "0", "--address", "127.0.0.1", "--anyone-may-call", "--metrics-port", "0"];
  const repoFlags = [...own, "--allow-folder", repository.dir];

  const allTheirs = async (stage: string): Promise<void> => {
    await using argocd = await startArgoCD(cluster);
    if (!expected) await createAll(kube, repository.url);
    await judge(stage, argocd.url, () => argocd.output("argocd-application-controller").slice(-3_000));
  };
  await allTheirs("all of Argo CD");
  const from = await linesOf(log);
  const made = (await writesSince(log, 0)).filter((line) => / create deployments /.test(line));
  assert.equal(made.length, 100, "the log tells what Argo CD has created");
  {
    await using stage = new AsyncDisposableStack();
    const { found: port } = await ours(stage).start("repo-server", repoFlags, /"port":(\d+)/);
    const argocd = stage.use(await startArgoCD(cluster, { repoServer: `127.0.0.1:${port}` }));
    const told = () => argocd.output("argocd-application-controller").slice(-3_000);
    await judge("Argo CD's controller and server, Capstan's repo server", argocd.url, told);
  }
  {
    await using stage = new AsyncDisposableStack();
    const only = ["redis-server", "argocd-repo-server", "argocd-server"];
    const argocd = stage.use(await startArgoCD(cluster, { only }));
    const asked = ["--repo-server", argocd.repoServer, "--repo-server-protocol", "argocd"];
    const flags = [...controllerFlags, ...asked, "--repo-server-plaintext"];
    const { program } = await ours(stage).start("controller", flags, /(controller is ready)/);
    const told = () => program.output().slice(-3_000);
    await judge("Capstan's controller, Argo CD's repo server and server", argocd.url, told);
  }
  {
    await using stage = new AsyncDisposableStack();
    const own = ours(stage);
    const folders = ["--allow-folder", repository.dir];
    const { program } = await own.start(
      "controller",
      [...controllerFlags, ...folders],
      /(controller is ready)/,
    );
    const { found: url } = await own.start("server", [...serverFlags, ...folders], /ready: (\S+)/);
    await judge("all of Capstan", url, () => program.output().slice(-3_000));
  }
  await allTheirs("all of Argo CD again");
  assert.deepEqual(await writesSince(log, from), [], "between the stages");
});
