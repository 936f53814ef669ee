import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { runMain } from "../../test-main.ts";

const kubeconfig = `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: abc}}]
`;

describe("capstan admin generate-spec", () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-specs-"));
    await writeFile(join(home, "kubeconfig"), kubeconfig);
  });
  after(() => rm(home, { recursive: true, force: true }));

  const admin = async (...argv: string[]) => {
    const { code, out, err } = await runMain(["admin", ...argv], { home, clock: realClock });
    assert.deepEqual([code, err], [0, ""]);
    return out;
  };

  test("an application is what its flags say, as git keeps it", async () => {
    const out = await admin(
      ...["app", "generate-spec", "web", "--repo", "https://git.example/a.git", "--path", "web"],
      ...["--dest-name", "in-cluster", "--project", "shop", "--label", "a=b", "--set-finalizer"],
    );
    assert.equal(
      out,
      `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  finalizers:
  - resources-finalizer.argocd.argoproj.io
  labels:
    a: b
  name: web
spec:
  destination:
    name: in-cluster
  project: shop
  source:
    path: web
    repoURL: https://git.example/a.git
`,
    );
  });

  test("a file is written anew and kept beside it, without state and namespace", async () => {
    const file = join(home, "project.yaml");
    const text =
      "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: q, namespace: argocd}\nspec: {description: old}\nstatus: {x: 1}\n";
    await writeFile(file, text);
    assert.equal(await admin("proj", "generate-spec", "-f", file, "--inline", "--description", "new"), "");
    assert.equal(
      await readFile(file, "utf8"),
      "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata:\n  name: q\nspec:\n  description: new\n",
    );
    assert.equal(await readFile(`${file}.back`, "utf8"), text);
    const refused = await runMain(["admin", "proj", "generate-spec", "q", "--inline"], {
      home,
      clock: realClock,
    });
    assert.deepEqual([refused.code, refused.out], [1, ""]);
  });

  test("Secrets have argocd's own names, and values that a person can read", async () => {
    const secret = JSON.parse(
      await admin(
        ...["repo", "generate-spec", "https://git.example/a.git", "--name", "x", "--username", "u"],
        ...["--password", "p", "--enable-lfs", "--project", "team", "-o", "json"],
      ),
    );
    assert.equal(secret.metadata.name, "repo-481585129");
    assert.deepEqual(secret.stringData, {
      enableLfs: "true",
      name: "x",
      password: "p",
      project: "team",
      type: "git",
      url: "https://git.example/a.git",
      username: "u",
    });
    const ofCluster = JSON.parse(
      await admin(
        ...["cluster", "generate-spec", "here", "--kubeconfig", join(home, "kubeconfig"), "-o", "json"],
        ...["--label", "a=b", "--namespace", "x", "--namespace", "y", "--shard", "2"],
      ),
    );
    assert.equal(ofCluster.metadata.name, "cluster-127.0.0.1-1831374316");
    assert.deepEqual(ofCluster.metadata.labels, { a: "b", "argocd.argoproj.io/secret-type": "cluster" });
    assert.deepEqual(ofCluster.stringData, {
      config: '{"bearerToken":"bearer-token","tlsClientConfig":{"insecure":true}}',
      name: "here",
      namespaces: "x,y",
      server: "https://127.0.0.1:6443",
      shard: "2",
    });
  });
});
