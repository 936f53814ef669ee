/** Argo CD's own application-controller and server, asking Capstan's repo server in place of theirs. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import {
  createGitRepository,
  eventually,
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

async function answerOf(argocd: RealArgoCD, path: string): Promise<unknown> {
  // It listens anew where its settings change.
  const response = await eventually(
    () => fetch(`${argocd.url}/api/v1/${path}`, { signal: signal() }).catch(() => undefined),
    { signal: signal(), describe: () => argocd.output("argocd-server").slice(-4_000) },
  );
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

/** What the API server has from its repo server, of each application. */
async function askAll(argocd: RealArgoCD, url: string): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {};
  for (const name of [...Object.keys(all), "several"]) {
    const { manifests, ...rest } = (await answerOf(argocd, `applications/${name}/manifests`)) as {
      manifests: string[];
    };
    const { commands: _, ...facts } = rest as Record<string, unknown>;
    asked[name] = { ...facts, manifests: manifests.map((one) => JSON.parse(one)) };
  }
  const at = encodeURIComponent(url);
  asked.refs = await answerOf(argocd, `repositories/${at}/refs`);
  const apps = (await answerOf(argocd, `repositories/${at}/apps?revision=main&appProject=default`)) as {
    items: { path: string }[];
  };
  // Theirs come in the order of a Go map.
  asked.apps = apps.items.sort((a, b) => (a.path < b.path ? -1 : 1));
  const { items } = (await answerOf(argocd, "applications")) as {
    items: { status: { sync: { revision?: string } } }[];
  };
  const revision = items.find(({ status }) => status.sync.revision)?.status.sync.revision;
  asked.metadata = await answerOf(argocd, `applications/plain/revisions/${revision}/metadata`);
  return asked;
}

test("the real application-controller and server work with Capstan's repo server: the same manifests, refs and details as with theirs", {
  skip: lackingArgoCD(),
  timeout: 500_000,
}, async (t) => {
  await using opened = new AsyncDisposableStack();
  const files = Object.assign({}, ...Object.entries(all).map(([name, { folder }]) => filesOf(folder, name)));
  const repository = opened.use(
    await createGitRepository({ ...files, "values/more.yaml": "replicaCount: 2\n" }),
  );
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const create = async (): Promise<void> => {
    for (const [name, { source = {} }] of Object.entries(all))
      await kube.create(
        sketchApplication({
          name,
          repoURL: repository.url,
          path: name,
          source,
          syncPolicy: { syncOptions: ["CreateNamespace=true"] },
        }),
        { signal: signal() },
      );
    const { spec, ...rest } = sketchApplication({ name: "several", repoURL: repository.url });
    const { source: _, ...others } = spec as Record<string, unknown>;
    const sources = [
      {
        repoURL: repository.url,
        targetRevision: "main",
        path: "helm",
        helm: { valueFiles: ["$values/values/more.yaml"] },
      },
      { repoURL: repository.url, targetRevision: "main", ref: "values" },
      { repoURL: repository.url, targetRevision: "main", path: "plain" },
    ];
    await kube.create({ ...rest, spec: { ...others, syncPolicy: {}, sources } }, { signal: signal() });
  };
  const compared = async (argocd: RealArgoCD): Promise<void> => {
    await eventually(
      async () => {
        const { items } = (await answerOf(argocd, "applications")) as {
          items: { status: { sync: { status: string; revision?: string } } }[];
        };
        return items.length > 0 && items.every(({ status }) => status.sync?.status === "OutOfSync")
          ? true
          : undefined;
      },
      { signal: signal(), describe: () => argocd.output("argocd-application-controller").slice(-4_000) },
    );
  };
  const theirs = await (async () => {
    await using argocd = await startArgoCD(cluster);
    await create();
    await compared(argocd);
    return await askAll(argocd, repository.url);
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
  const ours = await askAll(argocd, repository.url);
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
