/** An installation as Argo CD leaves it, looked at with an account that may only read. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  type EmbeddedClusterProcess,
  kubeconfigText,
  realClock,
  sketchApplication,
  sketchProject,
  startEmbeddedCluster,
  startProcess,
  untilServing,
} from "@capstan/testkit";
import { installCrds } from "../surroundings/install-crds.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const signal = AbortSignal.timeout(300_000);
const manager = { fieldManager: "argocd-controller", force: true, signal };
const namespace = "argocd";

interface Row {
  application: string;
  verdict: string;
  differences: { about: string; argocd: string; capstan: string; fields?: string[] }[];
  unknown: string[];
}

interface Report {
  summary: Record<string, number>;
  applications: Row[];
  pluginsLacking: { plugin: string; applications: string[] }[];
  settings: { where: string; setting: string }[];
}

/** What only reads, and nothing else: of every kind there is. */
async function readerKubeconfig({ kube, url }: EmbeddedClusterProcess): Promise<string> {
  const name = "reader";
  const rbac = "rbac.authorization.k8s.io";
  const rule = { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] };
  await kube.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } }, manager);
  await kube.apply(
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules: [rule] },
    manager,
  );
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  };
  await kube.apply(binding, manager);
  const { body } = await kube.request({
    method: "POST",
    url: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    signal,
  });
  assert.ok(typeof body === "string");
  return kubeconfigText({ server: url, token: JSON.parse(body).status.token });
}

function tracked(app: string, value: string): Manifest {
  const id = `${app}:/ConfigMap:${app}/map`;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "map", namespace: app, annotations: { "argocd.argoproj.io/tracking-id": id } },
    data: { key: value },
  };
}

/** As Argo CD's controller writes it when all is well. */
const wellStatus = (app: string, revision: string) => ({
  sync: { status: "Synced", revision },
  health: { status: "Healthy" },
  resources: [{ version: "v1", kind: "ConfigMap", namespace: app, name: "map", status: "Synced" }],
  resourceHealthSource: "appTree",
  sourceType: "Directory",
  reconciledAt: "2026-01-01T00:00:00Z",
});

interface Check {
  code: number;
  out: string;
  err: string;
}

function check(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Check> {
  const all = [program, "admin", "migrate", "check", ...words];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      all,
      { env: { ...process.env, ...env }, timeout: 200_000 },
      (error, out, err) =>
        resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, err }),
    );
  });
}

const kubeconfigOf = ({ kubeconfig }: EmbeddedClusterProcess): string[] => ["--kubeconfig", kubeconfig];

/** As a cluster has one; gives the flags by which the check asks it. */
async function startRepoServer(
  opened: AsyncDisposableStack,
  dir: string,
  flags: readonly string[],
): Promise<string[]> {
  const token = join(dir, "token");
  await writeFile(token, "of this test\n");
  const listening = ["--address", "127.0.0.1", "--port", "0", "--metrics-port", "0", "--token-file", token];
  const words = [program, "repo-server", ...listening, ...flags];
  const server = opened.use(startProcess(process.execPath, words, { env: { ...process.env, HOME: dir } }));
  const port = await untilServing("capstan repo-server", server, () =>
    server.output().includes("repo-server is ready") ? /"port":(\d+)/.exec(server.output())?.[1] : undefined,
  );
  return ["--repo-server", `localhost:${port}`, "--repo-server-token-file", token];
}

async function versions(kube: KubeClient): Promise<string[]> {
  const kinds = [
    ["argoproj.io/v1alpha1", "Application"],
    ["argoproj.io/v1alpha1", "AppProject"],
    ["v1", "ConfigMap"],
    ["v1", "Secret"],
    ["v1", "ServiceAccount"],
    ["v1", "Event"],
    ["coordination.k8s.io/v1", "Lease"],
  ] as const;
  const lists = await Promise.all(kinds.map(([apiVersion, kind]) => kube.list({ apiVersion, kind }, signal)));
  return lists.flatMap(({ items }) =>
    items.map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`,
    ),
  );
}

test("admin migrate check says what would differ, with an account that may only read, and nothing is changed or asked to be", {
  timeout: 400_000,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-check-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const repository = opened.use(await createGitRepository({ "a/map.yaml": configMapText("map", "1") }));
  const audit = join(dir, "audit");
  const cluster = opened.use(await startEmbeddedCluster({ flags: ["--audit-log", audit] }));
  const { kube } = cluster;
  await installCrds({ kube, clock: realClock, signal });
  const revision = await repository.git("rev-parse", "HEAD");
  const own = (name: string) =>
    kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, manager);
  await own(namespace);
  await kube.apply(sketchProject("default"), manager);
  await kube.apply(
    sketchProject("narrow", { destinations: [{ server: "*", namespace: "elsewhere" }] }),
    manager,
  );
  const settings = { "dex.config": "connectors: []" };
  await kube.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm", namespace }, data: settings },
    manager,
  );
  const place = async (name: string, value: string, more: object = {}): Promise<void> => {
    await own(name);
    await kube.apply(tracked(name, value), manager);
    const sketch = sketchApplication({ name, repoURL: repository.url, path: "a", ...more });
    const status = { status: wellStatus(name, revision) };
    const { metadata } = await kube.create({ ...sketch, ...status }, { signal });
    assert.ok(metadata.name);
  };
  await place("same", "1");
  await place("drifted", "2");
  await place("narrow", "1", { project: "narrow" });
  await place("plugin", "1", { source: { plugin: { name: "mine" } } });
  await kube.create(sketchApplication({ name: "fresh", repoURL: repository.url, path: "a" }), { signal });
  // What git says now is not what Argo CD has compared: the check is about that commit.
  await repository.commit({ "a/map.yaml": configMapText("map", "3") });
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, await readerKubeconfig(cluster));
  const before = await versions(kube);
  const at = ["--kubeconfig", kubeconfig, "--allow-folder", repository.dir, "--settle", "1"];
  const env = { HOME: dir, TMPDIR: dir };
  const { code, out, err } = await check([...at, "-o", "json", "--all"], env);
  assert.equal(code, 1, err);
  const report: Report = JSON.parse(out);
  assert.deepEqual(report.summary, {
    applications: 5,
    equal: 1,
    differ: 2,
    unknown: 2,
    settingsNotHonoured: 1,
  });
  const rows = new Map(report.applications.map((row) => [row.application, row]));
  const of = (name: string): Row => rows.get(`argocd/${name}`) ?? assert.fail(`${name} is not in ${out}`);
  assert.deepEqual([of("same").verdict, of("same").differences], ["equal", []]);
  assert.deepEqual(of("drifted").differences, [
    { about: "sync status", argocd: "Synced", capstan: "OutOfSync" },
    { about: "object ConfigMap drifted/map", argocd: "Synced", capstan: "OutOfSync", fields: ["data.key"] },
    { about: "operation", argocd: "nothing", capstan: "syncs by itself, and prunes" },
  ]);
  assert.ok(of("narrow").differences.some(({ about }) => about === "condition InvalidSpecError"));
  assert.equal(of("plugin").verdict, "unknown");
  assert.deepEqual(report.pluginsLacking, [{ plugin: "mine", applications: ["argocd/plugin"] }]);
  assert.deepEqual(of("fresh").unknown, ["Argo CD has not compared it yet"]);
  assert.deepEqual(
    report.settings.map(({ setting }) => setting),
    ["dex.config"],
  );

  const equal = await check([...at, "--app", "same"], env);
  assert.equal(equal.code, 0, equal.err + equal.out);
  assert.match(equal.out, /1 applications: 1 equal, 0 differ, 0 could not be told/);
  const table = await check([...at, "--app", "drifted,same"], env);
  assert.match(table.out, /argocd\/drifted\s+differs\s+sync status\s+Synced\s+OutOfSync/);
  assert.match(table.out, /OutOfSync: data\.key/);
  assert.doesNotMatch(table.out, /argocd\/same/);
  const flags = await startRepoServer(opened, dir, [
    "--allow-folder",
    repository.dir,
    ...kubeconfigOf(cluster),
  ]);
  const elsewhere = await check([...at, ...flags, "-n", namespace, "--app", "same"], env);
  assert.equal(elsewhere.code, 0, elsewhere.err + elsewhere.out);
  const none = await check([...at, "--app", "none"], env);
  assert.equal(none.code, 2, none.err);

  assert.deepEqual(await versions(kube), before);
  const asked = (await readFile(audit, "utf8"))
    .split("\n")
    .filter((line) => line.includes(":reader"))
    .map((line) => JSON.parse(line))
    .filter((event) => isRecord(event.user) && String(event.user.username).endsWith(":reader"));
  assert.ok(asked.length > 20, "the audit log has what it asked");
  const changing = asked.filter(({ verb }) => !["get", "list", "watch"].includes(verb));
  assert.deepEqual(
    changing.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
});
