/** Argo CD's own application-controller and server asking Capstan's repo server, and Capstan's asking Argo CD's. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import {
  createGitRepository,
  eventually,
  type GitRepository,
  lackingArgoCD,
  type RealArgoCD,
  sketchApplication,
  startArgoCD,
  startEmbeddedCluster,
  startProcess,
  untilApplication,
  untilServing,
} from "@capstan/testkit";

const top = join(import.meta.dirname, "..", "..");
const corpus = join(top, "..", "shared", "corpus", "argocd-example-apps");
const examples = join(top, "examples", "apps");
const signal = () => AbortSignal.timeout(120_000);

function filesOf(folder: string, under: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [`${under}/${relative(folder, file)}`, readFileSync(file, "utf8")]),
  );
}

/** By name: path, and what the source says beside it. */
const ofExamples: Record<string, { folder: string; source?: Record<string, unknown> }> = {
  helm: { folder: join(examples, "helm"), source: { helm: { parameters: [{ name: "a.b", value: "c" }] } } },
  plain: { folder: join(examples, "plain"), source: { directory: { recurse: true } } },
  waves: { folder: join(examples, "waves") },
};
const ofCorpus: Record<string, { folder: string; source?: Record<string, unknown> }> = Object.fromEntries(
  [
    "guestbook",
    "helm-guestbook",
    "jsonnet-guestbook",
    "kustomize-guestbook",
    "sync-waves",
    "helm-hooks",
    "sock-shop",
  ]
    .filter((name) => existsSync(join(corpus, name)))
    .map((name) => [
      name,
      {
        folder: join(corpus, name),
        ...(name === "kustomize-guestbook" ? { source: { kustomize: { namePrefix: "x-" } } } : {}),
      },
    ]),
);
const all = { ...ofExamples, ...ofCorpus };

function createRepository(): Promise<GitRepository> {
  const files = Object.assign({}, ...Object.entries(all).map(([name, { folder }]) => filesOf(folder, name)));
  return createGitRepository({ ...files, "values/more.yaml": "replicaCount: 2\n" });
}

/** The API server, Argo CD's or ours, and what it says. */
interface Asked {
  readonly url: string;
  output(): string;
}

const serverOf = (argocd: RealArgoCD): Asked => ({
  url: argocd.url,
  output: () => argocd.output("argocd-server"),
});

async function answerOf({ url, output }: Asked, path: string): Promise<unknown> {
  // It listens anew where its settings change.
  const response = await eventually(
    () => fetch(`${url}/api/v1/${path}`, { signal: signal() }).catch(() => undefined),
    { signal: signal(), describe: () => output().slice(-4_000) },
  );
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

async function manifestsOf(server: Asked): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {};
  for (const name of [...Object.keys(all), "several"]) {
    const { manifests, ...rest } = (await answerOf(server, `applications/${name}/manifests`)) as {
      manifests: string[];
    };
    const { commands: _, ...facts } = rest as Record<string, unknown>;
    asked[name] = { ...facts, manifests: manifests.map((one) => JSON.parse(one)) };
  }
  return asked;
}

/** What the API server has from its repo server, of each application. */
async function askAll(server: Asked, url: string): Promise<Record<string, unknown>> {
  const asked = await manifestsOf(server);
  const at = encodeURIComponent(url);
  asked.refs = await answerOf(server, `repositories/${at}/refs`);
  const apps = (await answerOf(server, `repositories/${at}/apps?revision=main&appProject=default`)) as {
    items: { path: string }[];
  };
  // Theirs come in the order of a Go map.
  asked.apps = apps.items.sort((a, b) => (a.path < b.path ? -1 : 1));
  const { items } = (await answerOf(server, "applications")) as {
    items: { status: { sync: { revision?: string } } }[];
  };
  const revision = items.find(({ status }) => status.sync.revision)?.status.sync.revision;
  asked.metadata = await answerOf(server, `applications/plain/revisions/${revision}/metadata`);
  return asked;
}

async function createAll(kube: KubeClient, repoURL: string): Promise<void> {
  for (const [name, { source = {} }] of Object.entries(all))
    await kube.create(
      sketchApplication({
        name,
        repoURL,
        path: name,
        source,
        syncPolicy: { syncOptions: ["CreateNamespace=true"] },
      }),
      { signal: signal() },
    );
  const { spec, ...rest } = sketchApplication({ name: "several", repoURL });
  const { source: _, ...others } = spec as Record<string, unknown>;
  const sources = [
    {
      repoURL,
      targetRevision: "main",
      path: "helm",
      helm: { valueFiles: ["$values/values/more.yaml"] },
    },
    { repoURL, targetRevision: "main", ref: "values" },
    { repoURL, targetRevision: "main", path: "plain" },
  ];
  await kube.create({ ...rest, spec: { ...others, syncPolicy: {}, sources } }, { signal: signal() });
}

async function untilCompared(argocd: RealArgoCD): Promise<void> {
  await eventually(
    async () => {
      const { items } = (await answerOf(serverOf(argocd), "applications")) as {
        items: { status: { sync: { status: string; revision?: string } } }[];
      };
      return items.length > 0 && items.every(({ status }) => status.sync?.status === "OutOfSync")
        ? true
        : undefined;
    },
    { signal: signal(), describe: () => argocd.output("argocd-application-controller").slice(-4_000) },
  );
}

test("the real application-controller and server work with Capstan's repo server: the same manifests, refs and details as with theirs", {
  skip: lackingArgoCD(),
  timeout: 500_000,
}, async (t) => {
  await using opened = new AsyncDisposableStack();
  const repository = opened.use(await createRepository());
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const theirs = await (async () => {
    await using argocd = await startArgoCD(cluster);
    await createAll(kube, repository.url);
    await untilCompared(argocd);
    return await askAll(serverOf(argocd), repository.url);
  })();
  const dir = await mkdtemp(join(tmpdir(), "capstan-repo-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const words = [
    "--data",
    join(dir, "data"),
    "--kubeconfig",
    cluster.kubeconfig,
    "--metrics-port",
    "0",
    "--loglevel",
    "debug",
  ];
  const own = [
    "--port",
    "0",
    "--address",
    "127.0.0.1",
    "--anyone-may-call",
    "--allow-folder",
    repository.dir,
  ];
  const repo = opened.use(
    startProcess(process.execPath, [join(top, "bin", "capstan.js"), "repo-server", ...words, ...own], {}),
  );
  const port = await untilServing("capstan repo-server", repo, () => /"port":(\d+)/.exec(repo.output())?.[1]);
  await using argocd = await startArgoCD(cluster, { repoServer: `127.0.0.1:${port}` });
  const ours = await askAll(serverOf(argocd), repository.url);
  for (const name of Object.keys(theirs)) assert.deepEqual(ours[name], theirs[name], name);
  t.diagnostic(`${Object.keys(all).length + 1} applications have equal manifests`);
  // The controller renders, compares and syncs by it.
  const operation = { sync: { revision: "main", syncOptions: ["CreateNamespace=true"] } };
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "plain" };
  await kube.patch(ref, { type: "merge", body: { operation } }, { signal: signal() });
  await untilApplication(kube, "plain", ({ sync, phase }) => sync === "Synced" && phase === "Succeeded");
  assert.match(repo.output(), /"method":"GenerateManifest"/);
});

test("a repo server that asks for a token does not answer Argo CD's programs, which send none", {
  skip: lackingArgoCD(),
  timeout: 200_000,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const repository = opened.use(await createGitRepository({ "a/x.yaml": "" }));
  const cluster = opened.use(await startEmbeddedCluster());
  const dir = await mkdtemp(join(tmpdir(), "capstan-repo-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "token"), "t");
  const words = ["--data", join(dir, "data"), "--kubeconfig", cluster.kubeconfig, "--metrics-port", "0"];
  const own = ["--port", "0", "--address", "127.0.0.1", "--token-file", join(dir, "token")];
  const repo = opened.use(
    startProcess(process.execPath, [join(top, "bin", "capstan.js"), "repo-server", ...words, ...own], {}),
  );
  const port = await untilServing("capstan repo-server", repo, () => /"port":(\d+)/.exec(repo.output())?.[1]);
  const only = ["redis-server", "argocd-server"];
  await using argocd = await startArgoCD(cluster, { only, repoServer: `127.0.0.1:${port}` });
  const at = encodeURIComponent(repository.url);
  const response = await fetch(`${argocd.url}/api/v1/repositories/${at}/refs`, { signal: signal() });
  assert.notEqual(response.status, 200);
  assert.match(await response.text(), /authorization: Bearer/);
});

test("capstan's controller and server work with the real argocd-repo-server: the same manifests, and the controller syncs by it", {
  skip: lackingArgoCD(),
  timeout: 500_000,
}, async (t) => {
  await using opened = new AsyncDisposableStack();
  const repository = opened.use(await createRepository());
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const argocd = opened.use(await startArgoCD(cluster));
  await createAll(kube, repository.url);
  const names = [...Object.keys(all), "several"];
  await untilCompared(argocd);
  const theirs = await manifestsOf(serverOf(argocd));
  // From here on theirs only renders.
  const dir = await mkdtemp(join(tmpdir(), "capstan-taken-over-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const repo = ["--repo-server", argocd.repoServer, "--repo-server-protocol", "argocd"];
  const asked = [...repo, "--repo-server-plaintext", "--kubeconfig", cluster.kubeconfig];
  for (const part of ["argocd-application-controller", "argocd-server"])
    process.kill(argocd.pids[part] ?? 0, "SIGKILL");
  const start = (part: string, flags: readonly string[]) =>
    opened.use(
      startProcess(
        process.execPath,
        [join(top, "bin", "capstan.js"), part, "--data", join(dir, part), ...asked, ...flags],
        {},
      ),
    );
  const server = start("server", ["--port", "0", "--disable-auth", "--insecure"]);
  const url = await untilServing("capstan server", server, () => /ready: (\S+)/.exec(server.output())?.[1]);
  const ours = await manifestsOf({ url, output: server.output });
  // Ours tells revision and destination too.
  for (const name of names) {
    const { manifests } = theirs[name] as { manifests: unknown };
    assert.deepEqual((ours[name] as { manifests: unknown }).manifests, manifests, name);
  }
  t.diagnostic(`${names.length} applications have equal manifests`);
  const controller = start("controller", ["--metrics-port", "0"]);
  await untilServing(
    "capstan controller",
    controller,
    () => /controller is ready/.exec(controller.output())?.[0],
  );
  const operation = { sync: { revision: "main", syncOptions: ["CreateNamespace=true"] } };
  for (const name of ["plain", "several"]) {
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name };
    await kube.patch(ref, { type: "merge", body: { operation } }, { signal: signal() });
    await untilApplication(kube, name, ({ sync, phase }) => sync === "Synced" && phase === "Succeeded");
  }
  // A commit is found by a refresh, and what cannot be rendered is said in the words of whoever renders.
  await repository.commit({ "plain/broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: [\n" });
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "plain" };
  const refresh = { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } };
  await kube.patch(ref, { type: "merge", body: refresh }, { signal: signal() });
  await untilApplication(kube, "plain", ({ sync, conditions }) => {
    const [condition] = conditions.filter(({ type }) => type === "ComparisonError");
    return sync === "Unknown" && /Argo CD's repo server .*broken\.yaml/s.test(condition?.message ?? "");
  });
});

/** What a git generator reads, and the Applications that come of it. */
const setsOfGit: Record<string, { git: object; names: readonly string[] }> = {
  directories: {
    git: { directories: [{ path: "teams/*" }, { path: "teams/legacy", exclude: true }] },
    names: ["blue", "red"],
  },
  files: {
    git: { files: [{ path: "clusters/**/config.json" }, { path: "clusters/old/*", exclude: true }] },
    names: ["north", "south"],
  },
};

test("capstan's application-set works with the real argocd-repo-server: git generators of directories and files", {
  skip: lackingArgoCD(),
  timeout: 300_000,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const repository = opened.use(
    await createGitRepository({
      "teams/blue/a.yaml": "",
      "teams/red/a.yaml": "",
      "teams/legacy/a.yaml": "",
      "clusters/a/north/config.json": '{"cluster": {"name": "north"}}',
      "clusters/south/config.json": '{"cluster": {"name": "south"}}',
      "clusters/old/config.json": '{"cluster": {"name": "old"}}',
    }),
  );
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const only = ["redis-server", "argocd-repo-server"];
  const argocd = opened.use(await startArgoCD(cluster, { only }));
  for (const [name, { git }] of Object.entries(setsOfGit)) {
    const named = name === "files" ? "{{.cluster.name}}" : "{{.path.basename}}";
    const { metadata: _, ...application } = sketchApplication({ name, repoURL: repository.url });
    await kube.create(
      {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "ApplicationSet",
        metadata: { name, namespace: "argocd" },
        spec: {
          goTemplate: true,
          generators: [{ git: { repoURL: repository.url, revision: "main", ...git } }],
          template: { metadata: { name: named }, spec: application.spec },
        },
      },
      { signal: signal() },
    );
  }
  const dir = await mkdtemp(join(tmpdir(), "capstan-sets-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const repo = ["--repo-server", argocd.repoServer, "--repo-server-protocol", "argocd"];
  const asked = [...repo, "--repo-server-plaintext", "--kubeconfig", cluster.kubeconfig];
  const sets = opened.use(
    startProcess(
      process.execPath,
      [join(top, "bin", "capstan.js"), "application-set", "--data", dir, ...asked, "--metrics-port", "0"],
      {},
    ),
  );
  const list = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
  const untilNames = (names: readonly string[]) =>
    eventually(
      async () => {
        const { items } = await kube.list(list, signal());
        const found = items.map(({ metadata }) => metadata.name).sort();
        return JSON.stringify(found) === JSON.stringify(names) || undefined;
      },
      { signal: signal(), describe: () => sets.output().slice(-4_000) },
    );
  const expected = Object.values(setsOfGit).flatMap(({ names }) => names);
  await untilNames([...expected].sort());
  // A commit is seen once the set is asked to look.
  await repository.commit({ "teams/green/a.yaml": "" });
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", namespace: "argocd" };
  const refresh = { metadata: { annotations: { "argocd.argoproj.io/application-set-refresh": "true" } } };
  await kube.patch({ ...ref, name: "directories" }, { type: "merge", body: refresh }, { signal: signal() });
  await untilNames([...expected, "green"].sort());
});
