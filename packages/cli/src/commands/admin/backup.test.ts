import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import { argoApiVersion, crds, type Manifest } from "@capstan/model";
import { eventually, realClock } from "@capstan/testkit";
import { type ListeningCluster, startListeningCluster } from "@capstan/testkit/worlds";
import { runMain } from "../../test-main.ts";

const signal = () => AbortSignal.timeout(60_000);

function application(name: string, namespace: string, path = "web"): Manifest {
  return {
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: { name, namespace, finalizers: ["resources-finalizer.argocd.argoproj.io"] },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/apps", path },
      destination: { server: "https://kubernetes.default.svc", namespace: "web" },
    },
  };
}

function secret(name: string, labels: Record<string, string>, value: string): Manifest {
  const data = { url: Buffer.from(value).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "argocd", labels }, data };
}

describe("capstan admin export and import", () => {
  let folder: string;
  let cluster: ListeningCluster;
  let kube: KubeClient;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-backup-"));
    cluster = await startListeningCluster();
    ({ kube } = cluster);
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig);
    const applied = (object: Manifest) =>
      kube.apply(object, { fieldManager: "test", force: true, signal: signal() });
    await Promise.all(crds().map(applied));
    // The cluster serves a new kind some time after its CRD is there.
    await eventually(
      async () => {
        const served = (await kube.discovery.refresh(signal())).map(({ kind }) => kind);
        return ["AppProject", "Application"].every((kind) => served.includes(kind)) || undefined;
      },
      { signal: signal(), describe: () => "the kinds are not served" },
    );
    for (const name of ["argocd", "team", "other"])
      await applied({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const map = (name: string, data: Record<string, string>): Manifest => ({
      ...{ apiVersion: "v1", kind: "ConfigMap", data },
      metadata: { name, namespace: "argocd" },
    });
    const isRepository = { "argocd.argoproj.io/secret-type": "repository" };
    for (const object of [
      map("argocd-cm", { url: "https://capstan.example" }),
      map("argocd-cmd-params-cm", { "application.namespaces": "te*" }),
      map("mine", { key: "value" }),
      secret("repo-a", isRepository, "https://git.example/apps"),
      secret("mine", {}, "nobody's business"),
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "argocd-initial-admin-secret", namespace: "argocd" },
        data: { password: Buffer.from("first word").toString("base64") },
      },
      {
        apiVersion: argoApiVersion,
        kind: "AppProject",
        metadata: { name: "default", namespace: "argocd" },
        spec: { sourceRepos: ["*"] },
      },
      application("web", "argocd"),
      application("team", "team"),
      application("other", "other"),
    ])
      await applied(object);
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const admin = (argv: readonly string[], input = "") =>
    runMain(["admin", ...argv, "--kubeconfig", join(folder, "kubeconfig")], {
      ...{ home: folder, clock: realClock, input },
    });
  const fetched = (kind: string, name: string, namespace = "argocd") =>
    kube.get({ apiVersion: kind === "Secret" ? "v1" : argoApiVersion, kind, namespace, name }, signal());

  test("a backup has what is Argo CD's, without what the cluster gave it, and goes to its owner alone", async () => {
    const { code, out, err } = await admin(["export"]);
    assert.deepEqual([code, err], [0, ""]);
    const names = [...out.matchAll(/^kind: (\w+)\nmetadata:\n(?: {2}.*\n)*? {2}name: (\S+)/gm)];
    assert.deepEqual(
      names.map(([, kind, name]) => `${kind} ${name}`),
      ["ConfigMap argocd-cm", "Secret repo-a", "AppProject default", "Application web", "Application team"],
    );
    assert.doesNotMatch(out, /uid|resourceVersion|managedFields|nobody/);
    assert.match(out, /name: team\n {2}namespace: team\n/);
    const file = join(folder, "backup.yaml");
    assert.equal((await admin(["export", "--out", file])).out, "");
    assert.equal(await readFile(file, "utf8"), out);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  test("an import brings back what was changed and deleted, prunes when told to, and first says what it would do", async () => {
    const { out: backup } = await admin(["export"]);
    const web = await fetched("Application", "web");
    assert.ok(web);
    await kube.patch(
      { apiVersion: argoApiVersion, kind: "Application", namespace: "argocd", name: "web" },
      { type: "merge", body: { spec: { source: { path: "changed" } } } },
      { signal: signal() },
    );
    await kube.delete(
      { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "repo-a" },
      { signal: signal() },
    );
    await kube.create(application("added", "argocd"), { signal: signal() });
    const dry = await admin(["import", "-", "--dry-run"], backup);
    assert.deepEqual(dry.out.split("\n"), [
      "import process started argocd",
      "/Secret repo-a in namespace argocd created (dry run)",
      "argoproj.io/Application web in namespace argocd updated (dry run)",
      "argoproj.io/Application added needs pruning",
      "Import process completed successfully in namespace argocd",
      "",
    ]);
    assert.equal(await fetched("Secret", "repo-a"), undefined);
    const done = await admin(["import", "-", "--prune"], backup);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /Application added pruned\n/);
    assert.deepEqual((await fetched("Application", "web"))?.spec, web.spec);
    assert.ok(await fetched("Secret", "repo-a"));
    assert.equal(await fetched("Application", "added"), undefined);
    const again = await admin(["import", "-", "--prune"], backup);
    assert.equal(again.out.split("\n").length, 3);
  });

  test("the first password is printed as long as it is kept", async () => {
    assert.match((await admin(["initial-password"])).out, /^first word\n\n This password must be only used/);
    assert.equal((await admin(["initial-password", "-n", "team"])).code, 20);
  });

  test("an import says what it leaves out, and refuses a label that it could not look for", async () => {
    const other = JSON.stringify(application("other", "other"));
    const { code, out, err } = await admin(["import", "-", "--dry-run"], other);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /Application other/);
    assert.match(err, /^warning: argoproj\.io\/Application other in namespace other is left out: /);
    const label = await admin(["import", "-", "--skip-resources-with-label", "keep"], other);
    assert.deepEqual([label.code, label.out], [1, ""]);
    assert.equal(label.err, '--skip-resources-with-label: "keep" is not name=value\n');
  });

  test("what is no backup is told", async () => {
    assert.match((await admin(["import", "-"], "a: b\n")).err, /document 1 of the backup is no object/);
  });

  test("a backup with an object of a kind that none has is refused before anything is made", async () => {
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "mine" } };
    const backup = [secret("new", {}, "value"), role].map((one) => JSON.stringify(one)).join("\n---\n");
    const { code, err } = await admin(["import", "-"], backup);
    assert.equal(code, 20);
    assert.match(err, /document 2, rbac\.authorization\.k8s\.io\/Role mine, is of no kind that a backup has/);
    assert.equal(await fetched("Secret", "new"), undefined);
  });

  test("what is not pruned is told", async () => {
    const { out: backup } = await admin(["export"]);
    await kube.create(secret("repo-b", { "argocd.argoproj.io/secret-type": "repository" }, "b"), {
      signal: signal(),
    });
    const skipping = ["--skip-resources-with-label", "argocd.argoproj.io/secret-type=repository"];
    assert.match(
      (await admin(["import", "-", "--prune", ...skipping], backup)).out,
      /^Skipping pruning of \/Secret repo-b in namespace argocd$/m,
    );
    const file = join(folder, "backup.yaml");
    await writeFile(file, backup);
    const asked = await runMain(
      ["admin", "import", file, "--prune", "--prompts-enabled", "--kubeconfig", join(folder, "kubeconfig")],
      { home: folder, clock: realClock, answer: "n" },
    );
    assert.match(asked.out, /^The command to prune \/Secret repo-b was cancelled\.$/m);
    assert.doesNotMatch(asked.out, /pruned/);
    assert.ok(await fetched("Secret", "repo-b"));
  });
});
