import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { argoApiVersion, crds, type Manifest } from "@capstan/model";
import { eventually, realClock } from "@capstan/testkit";
import { type ListeningCluster, startListeningCluster } from "@capstan/testkit/worlds";
import { runMain } from "../../test-main.ts";

const signal = () => AbortSignal.timeout(60_000);
const namespace = "argocd";
const own = "https://kubernetes.default.svc";

describe("capstan admin cluster and proj", () => {
  let folder: string;
  let cluster: ListeningCluster;
  let kube: KubeClient;
  const inFolder = (name: string) => join(folder, name);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-clusters-"));
    cluster = await startListeningCluster();
    ({ kube } = cluster);
    await writeFile(inFolder("kubeconfig"), cluster.kubeconfig);
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
    const ofCluster = (name: string, server: string, config: object): Manifest => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, labels: { "argocd.argoproj.io/secret-type": "cluster" } },
      stringData: { server, name, config: JSON.stringify(config) },
    });
    const app = (name: string, server: string, into: string): Manifest => ({
      apiVersion: argoApiVersion,
      kind: "Application",
      metadata: { name, namespace },
      spec: {
        project: "default",
        source: { repoURL: "https://git.example/apps", path: name },
        destination: { server, namespace: into },
      },
    });
    const program = { command: "/bin/sh", args: ["-c", `touch ${inFolder("ran")}`] };
    for (const object of [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      ofCluster("gone", "https://127.0.0.1:1", { bearerToken: "word", tlsClientConfig: { insecure: true } }),
      ofCluster("run", "https://127.0.0.1:2", { execProviderConfig: { ...program, apiVersion: "v1" } }),
      app("web", own, "web"),
      app("shop", "https://127.0.0.1:1", "shop"),
      app("lost", "https://nobody.example", "lost"),
      {
        apiVersion: argoApiVersion,
        kind: "AppProject",
        metadata: { name: "default", namespace },
        spec: {
          roles: [{ name: "ci", policies: ["p, proj:default:ci, applications, get, default/*, allow"] }],
        },
      },
    ])
      await applied(object);
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const admin = (...argv: string[]) =>
    runMain(["admin", ...argv, "--kubeconfig", inFolder("kubeconfig"), "-n", namespace], {
      ...{ home: folder, clock: realClock },
    });

  test("clusters are reached from here, but never by a program that a Secret names", async () => {
    const { code, out } = await admin("cluster", "stats");
    assert.equal(code, 0);
    assert.deepEqual(
      out.split("\n").map((line) => line.split(/ {2,}/)),
      [
        ["SERVER", "SHARD", "CONNECTION", "NAMESPACES COUNT", "APPS COUNT", "RESOURCES COUNT"],
        ["https://127.0.0.1:1", "0", "Failed", "1", "1", "0"],
        ["https://127.0.0.1:2", "0", "Unknown", "0", "0", "0"],
        [own, "0", "Successful", "1", "1", "0"],
        [""],
      ],
    );
    assert.equal(existsSync(inFolder("ran")), false);
  });

  test("credentials go into a file that its owner alone can read", async () => {
    const file = inFolder("made");
    await writeFile(file, "old", { mode: 0o644 });
    assert.equal((await admin("cluster", "kubeconfig", "https://127.0.0.1:1/", file)).code, 0);
    assert.match(await readFile(file, "utf8"), /server: https:\/\/127\.0\.0\.1:1\n[\s\S]*token: word\n/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match((await admin("cluster", "kubeconfig", own, file)).err, /of which no credentials are kept/);
  });

  test("a cluster is kept to its namespaces and let out again, once it is not only said", async () => {
    const enable = ["cluster", "namespaces", "enable-namespaced-mode", own, "--max-namespace-count", "1"];
    assert.equal(
      (await admin(...enable)).out,
      `Setting cluster ${own} namespaces to [web]...done (dry run)\n`,
    );
    const name = "cluster-kubernetes.default.svc-3396314289";
    const kept = async () => {
      const found = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal());
      const text = isRecord(found?.data) ? found.data.namespaces : undefined;
      return typeof text === "string" ? Buffer.from(text, "base64").toString() : undefined;
    };
    assert.equal(await kept(), undefined);
    await admin(...enable, "--dry-run=false");
    assert.equal(await kept(), "web");
    const disable = ["cluster", "namespaces", "disable-namespaced-mode", "*", "--dry-run=false"];
    assert.equal((await admin(...disable)).out, `Disabling namespaced mode for cluster ${own}...done\n`);
    assert.equal(await kept(), undefined);
  });

  test("a project permits what a ClusterRole lets one create", async () => {
    const rules = ["deployments", "services"].map((resource) => ({
      apiGroups: [resource === "services" ? "" : "apps"],
      resources: [resource],
      verbs: resource === "services" ? ["get"] : ["get", "create"],
    }));
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules };
    await writeFile(inFolder("role.yaml"), JSON.stringify(role));
    assert.match(
      (await admin("proj", "generate-allow-list", inFolder("role.yaml"), "team")).out,
      /name: team\nspec:\n {2}namespaceResourceWhitelist:\n {2}- group: apps\n {4}kind: Deployment\n$/,
    );
  });

  test("policies of roles are set and removed in all projects that match", async () => {
    const policies = async () => {
      const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace, name: "default" };
      const found = await kube.get(ref, signal());
      const roles = isRecord(found?.spec) && Array.isArray(found.spec.roles) ? found.spec.roles : [];
      return roles.flatMap(({ policies: own = [] }) => own);
    };
    const set = ["proj", "update-role-policy", "*", "set", "sync", "--resource", "applications"];
    const said = await admin(...set, "--scope", "*", "--permission", "allow");
    assert.match(said.out, /^===== default ======\n[\s\S]*\n\+ .*sync, default\/\*, allow\n/);
    assert.equal((await policies()).length, 1, "nothing changes before --dry-run=false");
    await admin(...set, "--scope", "*", "--permission", "allow", "--dry-run=false");
    assert.equal((await policies())[1], "p, proj:default:ci, applications, sync, default/*, allow");
    await admin("proj", "update-role-policy", "def*", "remove", "get", "--dry-run=false");
    assert.deepEqual(await policies(), ["p, proj:default:ci, applications, sync, default/*, allow"]);
    assert.equal((await admin("proj", "update-role-policy", "*", "twist", "get")).code, 20);
  });
});
