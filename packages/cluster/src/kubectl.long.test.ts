import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { lackingTools, unpackTools } from "./test-tools.ts";
import { startToolCluster, type ToolCluster } from "./tool-cluster.ts";

const deployment = (name: string, image = "nginx:1") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image }] } },
  },
});

const application = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "applications.argoproj.io" },
  spec: {
    group: "argoproj.io",
    scope: "Namespaced",
    names: {
      kind: "Application",
      plural: "applications",
      singular: "application",
      shortNames: ["app", "apps"],
    },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Sync Status", type: "string", jsonPath: ".status.sync.status" },
          { name: "Health Status", type: "string", jsonPath: ".status.health.status" },
          { name: "Revision", type: "string", jsonPath: ".status.sync.revision", priority: 10 },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                description: "What to deploy.",
                properties: { project: { type: "string" } },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

suite("kubectl", { skip: lackingTools }, () => {
  let world: ToolCluster;

  before(async () => {
    world = await startToolCluster();
  });
  after(() => world[Symbol.asyncDispose]());

  /** Runs a command that must succeed. */
  const kubectl = (...args: string[]) => world.ok(world.kubectl(args));

  async function file(name: string, ...objects: unknown[]): Promise<string> {
    const path = join(world.folder, name);
    await writeFile(path, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    return path;
  }

  test("apply creates, configures, and leaves alone what has not changed", async () => {
    const path = await file("one.yaml", deployment("one"));
    assert.equal(await kubectl("apply", "-f", path), "deployment.apps/one created\n");
    assert.equal(await kubectl("apply", "-f", path), "deployment.apps/one unchanged\n");
    await file("one.yaml", deployment("one", "nginx:2"));
    assert.equal(await kubectl("apply", "-f", path), "deployment.apps/one configured\n");
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    assert.equal(await kubectl("get", "deployment", "one", "-o", image), "nginx:2");
  });

  test("apply --server-side takes over from client-side apply, and reports conflicts", async () => {
    const path = await file("ssa.yaml", deployment("ssa"));
    await kubectl("apply", "-f", path);
    assert.equal(
      await kubectl("apply", "--server-side", "-f", path),
      "deployment.apps/ssa serverside-applied\n",
    );
    const other = await file("ssa-2.yaml", deployment("ssa", "nginx:2"));
    const refused = await world.kubectl(["apply", "--server-side", "--field-manager=other", "-f", other]);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /conflict with "kubectl": \.spec\.template\.spec\.containers\[name="main"\]\.image/,
    );
    await kubectl("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", other);
  });

  test("apply refuses unknown fields and wrong types, naming them", async () => {
    const typo = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "typo" }, dataa: { x: "1" } };
    const refused = await world.kubectl(["apply", "-f", await file("typo.yaml", typo)]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /strict decoding error: unknown field "dataa"/);
    const wrong = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "wrong" }, data: { x: 1 } };
    const undecodable = await world.kubectl(["apply", "-f", await file("wrong.yaml", wrong)]);
    assert.match(
      undecodable.stderr,
      /json: cannot unmarshal number into Go struct field ConfigMap\.data of type string/,
    );
    const bad = deployment("Bad_Name");
    const invalid = await world.kubectl(["apply", "-f", await file("bad.yaml", bad)]);
    assert.match(
      invalid.stderr,
      /The Deployment "Bad_Name" is invalid: metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
    );
  });

  test("diff shows what an apply would change, and nothing else", async () => {
    const path = await file("diff.yaml", deployment("diff"));
    await kubectl("apply", "-f", path);
    assert.equal((await world.kubectl(["diff", "-f", path])).code, 0);
    await file("diff.yaml", deployment("diff", "nginx:9"));
    const { code, stdout } = await world.kubectl(["diff", "-f", path]);
    assert.equal(code, 1);
    const changed = stdout
      .split("\n")
      .filter((line) => /^[-+] /.test(line))
      .map((line) => line.replace(/\s+/g, " "));
    assert.deepEqual(changed, [
      "- generation: 1",
      "+ generation: 2",
      "- - image: nginx:1",
      "+ - image: nginx:9",
    ]);
    const server = await world.kubectl(["diff", "--server-side", "--force-conflicts", "-f", path]);
    assert.equal(server.code, 1, server.stderr);
  });

  test("label, annotate and patch in its three types", async () => {
    await kubectl("create", "configmap", "parts", "--from-literal=a=1");
    assert.equal(await kubectl("label", "configmap", "parts", "tier=web"), "configmap/parts labeled\n");
    assert.equal(await kubectl("annotate", "configmap", "parts", "note=x"), "configmap/parts annotated\n");
    const merge = ["--type=merge", "-p", '{"data":{"b":"2"}}'];
    assert.equal(await kubectl("patch", "configmap", "parts", ...merge), "configmap/parts patched\n");
    const json = ["--type=json", "-p", '[{"op":"add","path":"/data/c","value":"3"}]'];
    await kubectl("patch", "configmap", "parts", ...json);
    await kubectl("patch", "configmap", "parts", "-p", '{"data":{"d":"4"}}');
    assert.equal(
      await kubectl("get", "configmap", "parts", "-o", "jsonpath={.data}"),
      '{"a":"1","b":"2","c":"3","d":"4"}',
    );
    assert.match(
      await kubectl("get", "configmaps", "-l", "tier=web", "--no-headers"),
      /^parts\s+4\s+\d+s\n$/,
    );
  });

  test("explain and api-resources know built-in and custom kinds", async () => {
    await kubectl("apply", "-f", await file("crd.yaml", application));
    const spec = await kubectl("explain", "deployment.spec");
    assert.match(spec, /^GROUP: {6}apps\nKIND: {7}Deployment\nVERSION: {4}v1\n/);
    assert.match(spec, /minReadySeconds\t<integer>/);
    const own = await kubectl("explain", "application.spec");
    assert.match(own, /What to deploy\./);
    const resources = await kubectl("api-resources");
    assert.match(resources, /^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    assert.match(resources, /^applications\s+app,apps\s+argoproj\.io\/v1alpha1\s+true\s+Application$/m);
    assert.match(await kubectl("api-versions"), /^argoproj\.io\/v1alpha1$/m);
  });

  test("custom resources show the columns of their definition", async () => {
    await kubectl("apply", "-f", await file("crd.yaml", application));
    await kubectl("wait", "--for=condition=Established", "crd/applications.argoproj.io", "--timeout=10s");
    await kubectl("create", "namespace", "argocd");
    const object = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "guestbook", namespace: "argocd" },
      spec: { project: "default" },
      status: { sync: { status: "Synced", revision: "abc" }, health: { status: "Healthy" } },
    };
    await kubectl("apply", "-f", await file("app.yaml", object));
    const rows = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows(await kubectl("get", "application", "-n", "argocd")), [
      ["NAME", "SYNC STATUS", "HEALTH STATUS"],
      ["guestbook", "Synced", "Healthy"],
    ]);
    assert.deepEqual(rows(await kubectl("get", "app", "-n", "argocd", "-o", "wide")), [
      ["NAME", "SYNC STATUS", "HEALTH STATUS", "REVISION"],
      ["guestbook", "Synced", "Healthy", "abc"],
    ]);
  });

  test("get prints a table for every built-in kind that can be listed", async () => {
    const kinds = (await kubectl("api-resources", "--verbs=list", "-o", "name")).trim().split("\n");
    assert.ok(kinds.length > 40, kinds.join());
    const { code, stderr } = await world.kubectl(["get", kinds.join(), "-A"]);
    assert.equal(code, 0, stderr);
  });

  test("get --watch shows changes as they come", async () => {
    const { kubectl: program } = await unpackTools();
    const env = { KUBECONFIG: join(world.folder, "kubeconfig"), HOME: world.folder };
    const child = spawn(program, ["get", "configmaps", "-w", "-o", "name", "-l", "watched"], { env });
    const exited = once(child, "exit");
    try {
      const lines = readLines(child);
      await kubectl("create", "configmap", "first");
      await kubectl("label", "configmap", "first", "watched=yes");
      assert.equal((await lines.next()).value, "configmap/first");
      await kubectl("annotate", "configmap", "first", "again=yes");
      assert.equal((await lines.next()).value, "configmap/first");
    } finally {
      child.kill("SIGTERM");
      await exited;
    }
  });

  test("create, get -o yaml, replace, edit by pipe and delete go round", async () => {
    await kubectl("create", "secret", "generic", "key", "--from-literal=a=b");
    const yaml = await kubectl("get", "secret", "key", "-o", "yaml");
    assert.match(yaml, /^type: Opaque$/m);
    const replaced = await world.ok(
      world.kubectl(["replace", "-f", "-"], { input: yaml.replace("a: Yg==", "a: Yw==") }),
    );
    assert.equal(replaced, "secret/key replaced\n");
    assert.equal(await kubectl("get", "secret", "key", "-o", "jsonpath={.data.a}"), "Yw==");
    assert.equal(await kubectl("delete", "secret", "key"), 'secret "key" deleted from default namespace\n');
    const gone = await world.kubectl(["get", "secret", "key"]);
    assert.match(gone.stderr, /^Error from server \(NotFound\): secrets "key" not found/);
  });

  test("a deleted namespace is gone with its content when the command returns", async () => {
    await kubectl("create", "namespace", "brief");
    await kubectl("create", "configmap", "a", "-n", "brief");
    await kubectl("delete", "namespace", "brief", "--timeout=20s");
    const { stderr } = await world.kubectl(["get", "namespace", "brief"]);
    assert.match(stderr, /namespaces "brief" not found/);
  });

  test("large lists come in pages", async () => {
    const objects = Array.from({ length: 30 }, (_none, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `page-${index}`, labels: { paged: "yes" } },
    }));
    await kubectl("apply", "--server-side", "-f", await file("pages.yaml", ...objects));
    const names = await kubectl("get", "configmaps", "-l", "paged", "-o", "name", "--chunk-size=7");
    assert.equal(names.trim().split("\n").length, 30);
    await kubectl("delete", "configmaps", "-l", "paged", "--wait=false");
    assert.equal(await kubectl("get", "configmaps", "-l", "paged", "-o", "name"), "");
  });

  test("auth can-i, whoami and tokens answer", async () => {
    assert.equal(await kubectl("auth", "can-i", "delete", "pods"), "yes\n");
    assert.match(await kubectl("auth", "whoami"), /Username\s+kubernetes-admin/);
    await kubectl("create", "serviceaccount", "robot");
    const token = (await kubectl("create", "token", "robot")).trim();
    const refused = await world.kubectl([
      "get",
      "pods",
      `--token=${token}`,
      "--kubeconfig",
      await tokenless(),
    ]);
    assert.match(
      refused.stderr,
      /pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods"/,
    );
    const wrong = await world.kubectl(["get", "pods", "--token=wrong", "--kubeconfig", await tokenless()]);
    assert.match(wrong.stderr, /Unauthorized|must be logged in/);
  });

  async function tokenless(): Promise<string> {
    const server = await kubectl("config", "view", "--raw", "-o", "jsonpath={.clusters[0].cluster.server}");
    const config: unknown = JSON.parse(world.cluster.kubeconfig(server));
    assert.ok(typeof config === "object" && config !== null);
    return file("tokenless", { ...config, users: [{ name: "capstan", user: {} }] });
  }

  test("version, cluster-info and the node say that nothing runs", async () => {
    assert.match(await kubectl("version", "-o", "json"), /"gitVersion": "v1\.36\.3\+capstan"/);
    assert.match(await kubectl("version", "-o", "json"), /nothing runs/);
    assert.match(await kubectl("get", "nodes", "-o", "wide"), /simulated/i);
    assert.equal(await kubectl("get", "--raw", "/readyz"), "ok");
  });
});

async function* readLines(child: ChildProcess): AsyncGenerator<string> {
  let text = "";
  for await (const piece of child.stdout ?? []) {
    text += piece;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
