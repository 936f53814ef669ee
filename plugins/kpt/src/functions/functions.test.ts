import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@capstan/flow";
import { printAll, readYaml } from "@capstan/krm-yaml";
import type { FunctionEnd, ResourceList } from "../function.ts";
import { type Catalog, catalog, withSchemas } from "./catalog.ts";

const clock: Clock = { now: () => 0, sleep: async (ms, signal) => wait(ms, undefined, { signal }) };
const context = {
  signal: new AbortController().signal,
  clock,
  env: {},
  allowNetwork: false,
  readFile: async () => undefined,
};

interface Ran {
  output: string;
  messages: string[];
  end: FunctionEnd | undefined;
}

type Full = { config: Record<string, string>; functions: Catalog };

function isFull(given: Record<string, string> | Full): given is Full {
  return given.functions instanceof Map;
}

/** A configuration is YAML, or the data of a ConfigMap. */
async function run(name: string, input: string, given: string | Record<string, string> | Full): Promise<Ran> {
  const { config, functions } =
    typeof given === "object" && isFull(given) ? given : { config: given, functions: catalog };
  const read = (source: string) =>
    readYaml("input.yaml", source).map(({ root, head, foot }) => {
      assert.equal(root.kind, "mapping");
      if (root.kind !== "mapping") throw new TypeError("no object");
      return { root, head, foot };
    });
  const data =
    typeof config === "string"
      ? config
      : JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "function-input" },
          data: config,
        });
  const list: ResourceList = { items: read(input), functionConfig: read(data)[0]?.root, results: [] };
  const found = functions.get(name);
  assert.ok(found);
  const end = await found.run(list, context);
  const output = printAll(list.items.map((item) => ({ ...item, seqIndent: "compact" })));
  return { output, messages: list.results.map(({ message }) => message), end };
}

const pod = (image: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  initContainers:
  - name: i
    image: ${image}
  containers:
  - name: c
    image: ${image}
`;

test("apply-setters fills what the caller leaves out from the field itself", async () => {
  const input =
    "apiVersion: v1\nkind: X\nmetadata:\n  name: app-dev-one # kpt-set: app-${stage}-${part}\nspec:\n  n: 3 # kpt-set: ${n}\n  l: # kpt-set: ${l}\n  - a\n  f: [a] # kpt-set: ${l}\n";
  const { output, messages } = await run("apply-setters", input, { stage: "prod", n: "5", l: "[x, y]" });
  assert.match(output, /name: app-prod-one # kpt-set/);
  assert.match(output, /n: 5 # kpt-set/);
  assert.match(
    output,
    /l: # kpt-set: \$\{l\}\n {2}- x\n {2}- y\n {2}f: # kpt-set: \$\{l\}\n {2}- x\n {2}- y/,
  );
  assert.deepEqual(messages[0], 'set field value to "app-prod-one"');
});

test("apply-setters empties a list, and refuses a list that is none and a value that nothing tells", async () => {
  const list = "apiVersion: v1\nkind: X\nmetadata:\n  name: x\nl: # kpt-set: ${l}\n- a\n";
  assert.match((await run("apply-setters", list, { l: "" })).output, /\nl: \[\] # kpt-set: \$\{l\}\n/);
  const wrong = await run("apply-setters", list, { l: "text" });
  assert.deepEqual(wrong.messages, [
    'failed to apply setters: input to array setter must be an array of values, but found "text"',
  ]);
  const unknown = await run(
    "apply-setters",
    "apiVersion: v1\nkind: X\nmetadata:\n  name: a # kpt-set: ${x}-${y}\n",
    { x: "b" },
  );
  assert.deepEqual(unknown.messages, ["failed to apply setters: values for setters [${y}] must be provided"]);
  assert.equal(unknown.end?.exitCode, 1);
});

test("a setter's pattern takes no exponential time", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `\${s${at}}`).join("a");
  const input = `apiVersion: v1\nkind: X\nmetadata:\n  name: ${"a".repeat(5_000)} # kpt-set: ${names}b\n`;
  assert.equal((await run("apply-setters", input, { s1: "x" })).end?.exitCode, 1);
});

test("set-namespace moves what lives in a namespace and what names it, and only what matches if asked", async () => {
  const input =
    "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: old\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: s\n---\napiVersion: x.io/v1\nkind: Cluster\nmetadata:\n  name: c\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: t\n  namespace: other\n";
  const all = await run("set-namespace", input, { namespace: "new" });
  assert.equal(all.output.match(/namespace: new/g)?.length, 2);
  assert.match(all.output, /kind: Cluster\nmetadata:\n {2}name: c\n/);
  assert.equal(all.messages[0], 'namespace [default old other] updated to "new", 3 value(s) changed');
  const some = await run("set-namespace", input, { namespace: "new", namespaceMatcher: "other" });
  assert.equal(some.messages.at(-2), 'namespace [other] updated to "new", 1 value(s) changed');
});

test("set-image changes name, tag or digest of the named image and no other", async () => {
  const changed = async (image: string, config: Record<string, string>) =>
    /containers:\n {2}- name: c\n {4}image: (.*)/.exec(
      (await run("set-image", pod(image), config)).output,
    )?.[1];
  assert.equal(await changed("nginx:1.2", { name: "nginx", newTag: "1.3" }), "nginx:1.3");
  assert.equal(await changed("nginx@sha256:ab", { name: "nginx", newTag: "1.3" }), "nginx:1.3");
  assert.equal(await changed("reg:5000/nginx:1", { name: "reg:5000/nginx", newName: "b" }), "b:1");
  assert.equal(await changed("nginx", { name: "nginx", digest: "sha256:ab" }), "nginx@sha256:ab");
  assert.equal(await changed("my/nginx:1", { name: "nginx", newTag: "2" }), "my/nginx:1");
});

test("ensure-name-substring changes names once and what refers to them", async () => {
  const input = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\n---\n${pod("x").replace("  containers:", "  volumes:\n  - name: v\n    configMap:\n      name: conf\n  containers:")}`;
  const first = await run("ensure-name-substring", input, { prepend: "dev-" });
  assert.match(first.output, /configMap:\n {6}name: dev-conf/);
  const again = await run("ensure-name-substring", first.output, { prepend: "dev-" });
  assert.equal(again.output, first.output);
});

test("set-name-prefix takes the package's name by default", async () => {
  const input =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  name: shop\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: packagename-web\n';
  const { output } = await run(
    "set-name-prefix",
    input,
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n",
  );
  assert.match(output, /name: shop-web/);
});

test("apply-replacements reads and writes parts, lists by key and fields that are not there yet", async () => {
  const input =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: src\ndata:\n  host: a.example.com\n  port: "80"\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    a.b/c: x.y\nspec:\n  containers:\n  - name: one\n    image: i\n  - name: two\n    image: i\n';
  const config = `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata: {name: r}
replacements:
- source: {kind: ConfigMap, name: src, fieldPath: data.host, options: {delimiter: ".", index: 1}}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["metadata.annotations.a\\\\.b/c"]
    options: {delimiter: ".", index: 1}
  - select: {kind: Deployment}
    fieldPaths: ["spec.containers.[name=two].image", "metadata.labels.host"]
    options: {create: true}
`.replaceAll("\\\\", "\\\\");
  const { output, messages } = await run("apply-replacements", input, config);
  assert.deepEqual(messages, []);
  assert.match(output, /a\.b\/c: x\.example\n/);
  assert.match(output, /- name: one\n {4}image: i\n {2}- name: two\n {4}image: example\n/);
  assert.match(output, /labels:\n {4}host: example\n/);
  const missing = await run("apply-replacements", input, config.replace("{create: true}", "{}"));
  assert.deepEqual(missing.messages, ['unable to find field "metadata.labels.host" in replacement target']);
});

test("apply-replacements chooses by every kind of label requirement, and says what is none", async () => {
  const input = ["a", "b", "c"]
    .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {tier: ${name}}}\n`)
    .join("---\n");
  const config = (selector: string) => `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata: {name: r}
replacements:
  - source: {kind: ConfigMap, name: a}
    targets:
      - select: {labelSelector: "${selector}"}
        fieldPaths: [data.from]
        options: {create: true}
`;
  const { output } = await run("apply-replacements", input, config("tier in (b,c), tier notin (c)"));
  assert.equal(output.match(/from: a/g)?.length, 1);
  const { messages } = await run("apply-replacements", input, config("tier is b"));
  assert.match(String(messages), /unable to parse requirement: found 'is'/);
});

test("search-replace finds by value, path and pattern", async () => {
  const input = pod("nginx:1.7");
  const byRegex = await run("search-replace", input, {
    "by-value-regex": "nginx:(.*)",
    "put-value": "ubuntu-${1}",
  });
  assert.equal(byRegex.output.match(/image: ubuntu-1\.7/g)?.length, 2);
  const byPath = await run("search-replace", input, {
    "by-path": "spec.containers[*].image",
    "put-comment": "kpt-set: ${image}",
  });
  assert.match(byPath.output, /- name: c\n {4}image: nginx:1\.7 # kpt-set: \$\{image\}/);
  const added = await run("search-replace", input, { "by-path": "metadata.labels.app", "put-value": "web" });
  assert.match(added.output, /labels:\n {4}app: web/);
  const wrong = await run("search-replace", input, { "by-value-regex": "(", "put-value": "x" });
  assert.equal(wrong.end?.exitCode, 1);
});

test("upsert-resource replaces what has the same identity and adds what is new", async () => {
  const input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: old\n";
  const config = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  k: new\n`;
  assert.equal((await run("upsert-resource", input, config("a"))).output.match(/k: /g)?.length, 1);
  assert.equal((await run("upsert-resource", input, config("b"))).output.match(/k: /g)?.length, 2);
});

test("create-setters marks longer values first; list-setters tells them", async () => {
  const { output } = await run("create-setters", pod("nginx-abc:1.7"), {
    image: "nginx",
    long: "nginx-abc",
    tag: "1.7",
  });
  assert.match(output, /image: nginx-abc:1\.7 # kpt-set: \$\{long\}:\$\{tag\}/);
  const { messages } = await run("list-setters", output, {});
  assert.deepEqual(messages, [
    "Name: long, Value: nginx-abc, Type: str, Count: 2",
    "Name: tag, Value: 1.7, Type: str, Count: 2",
  ]);
});

test("delete-annotations and remove-local-config-resources take away what they name", async () => {
  const input =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    x/y: "1"\n    config.kubernetes.io/local-config: "True"\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n';
  assert.doesNotMatch((await run("delete-annotations", input, { annotationKeys: "x/y,z" })).output, /x\/y/);
  const { output, messages } = await run("remove-local-config-resources", input, {});
  assert.doesNotMatch(output, /name: a/);
  assert.deepEqual(messages, ["Number of resources pruned: 1", "Resource name: [a]"]);
});

test("kubeconform tells what breaks a schema, of custom kinds too, and strictly what no schema knows", async () => {
  const definitions = {
    "x.Pod": {
      type: "object",
      required: ["spec"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object" },
        spec: { allOf: [{ $ref: "#/components/schemas/x.Spec" }] },
      },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
    },
    "x.Spec": {
      type: "object",
      required: ["containers"],
      properties: {
        containers: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "image"],
            properties: { name: { type: "string" }, image: { type: "string" } },
          },
        },
        port: { oneOf: [{ type: "integer" }, { type: "string" }] },
        mode: { type: "string", enum: ["a", "b"] },
      },
    },
  };
  const input = `apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  containers:
  - {}
  port: true
  mode: c
  extra: 1
---
apiVersion: x.io/v1
kind: Thing
metadata:
  name: t
spec:
  size: big
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.x.io
spec:
  group: x.io
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
`;
  const validated = async (name: string, config: Record<string, string>) =>
    run(name, input, { config, functions: withSchemas(() => definitions) });
  const strict = await validated("kubeconform", { strict: "true" });
  assert.deepEqual(strict.messages, [
    "additional properties 'extra' not allowed",
    "missing properties 'name', 'image'",
    "got boolean, want null or integer or string",
    "value must be one of 'a', 'b'",
    "got string, want null or integer",
  ]);
  assert.equal(strict.end?.exitCode, 1);
  const skipped = await validated("kubeconform", { skip_kinds: "Pod,Thing" });
  assert.deepEqual([skipped.messages, skipped.end], [[], undefined]);
  const former = await validated("kubeval", { skip_kinds: "Pod,CustomResourceDefinition" });
  assert.deepEqual(former.messages, ["Invalid type. Expected: [integer,null], given: string"]);
});

test("functions of kpt's Go library give resources out by apiVersion, kind, namespace and name", async () => {
  const input = ["v1/Secret/b", "v1/ConfigMap/z", "apps/v1/Deployment/a"].map((one) => {
    const [name = "", kind = "", ...version] = one.split("/").reverse();
    return `apiVersion: ${version.reverse().join("/")}\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
  });
  for (const name of ["set-namespace", "set-labels", "set-name-prefix"]) {
    const { output } = await run(name, input.join("---\n"), { namespace: "shop", prefix: "p-" });
    assert.deepEqual(
      output.match(/kind: \w+/g),
      ["kind: Deployment", "kind: ConfigMap", "kind: Secret"],
      name,
    );
  }
});

test("set-labels takes what has no kind for every kind, as kpt's library does", async () => {
  const { output, messages } = await run("set-labels", "resources:\n- a.yaml\n", { app: "web" });
  assert.match(
    output,
    /metadata:\n {2}labels:\n {4}app: web\nspec:\n {2}selector:\n {4}app: web\n {4}matchLabels:/,
  );
  assert.deepEqual(messages, ["set 4 labels in total"]);
});

test("set-annotations and ensure-name-substring take no resource twice, as kustomize's library does not", async () => {
  const map = (namespace: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n${namespace === "" ? "" : `  namespace: ${namespace}\n`}`;
  const twice = `${map("")}---\n${map("default")}`;
  const problem = "may not add resource with an already registered id: ~G_v1_ConfigMap|default|a";
  const annotated = await run("set-annotations", twice, { a: "b" });
  assert.deepEqual(annotated.messages, [`failed to run function: ${problem}`]);
  assert.equal(annotated.end?.exitCode, 1);
  const named = await run("ensure-name-substring", twice, { prepend: "x-" });
  assert.equal(named.end?.stderr, `failed to convert items to resource map: ${problem}`);
  const apart = await run("set-annotations", `${map("")}---\n${map("other")}`, { a: "b" });
  assert.equal(apart.end, undefined);
});

test("set-labels leaves a map in one line there", async () => {
  const source = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {}\n";
  const { output } = await run("set-labels", source, { app: "web" });
  assert.match(output, /\n {2}labels: \{app: web\}\n/);
});

test("set-labels names the group and kind that it does not know", async () => {
  const config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: Labels\nmetadata:\n  name: c\nlabels:\n  a: b\n";
  const { messages, end } = await run("set-labels", pod("nginx"), config);
  assert.equal(end?.exitCode, 1);
  assert.match(messages.join(), /unknown FunctionConfig `Labels\.fn\.kpt\.dev`/);
});

test("set-annotations tells the same field of files with the same name once", async () => {
  const one = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations:\n    internal.config.kubernetes.io/path: Kptfile\n    internal.config.kubernetes.io/index: "0"\n`;
  const { messages } = await run("set-annotations", `${one("a")}---\n${one("b")}`, { by: "me" });
  assert.equal(messages.length, 1);
});

test("set-namespace fails where its configuration names no namespace", async () => {
  const { messages, end } = await run("set-namespace", pod("nginx"), {});
  assert.equal(end?.exitCode, 1);
  assert.deepEqual(messages, ["`data.namespace` should not be empty"]);
});

test("a script finds Kubernetes' schemas where they are at hand", async () => {
  const source =
    'd = ctx.open_api["definitions"]\nprint(d["a.Pod"]["x-kubernetes-group-version-kind"][0]["kind"], d["a.Pod"]["$ref"])\n';
  const pods = {
    "x-kubernetes-group-version-kind": [{ group: "", kind: "Pod", version: "v1" }],
    $ref: "#/components/schemas/a.Other",
  };
  const functions = withSchemas(() => ({ "a.Pod": pods }));
  const { end } = await run("starlark", pod("nginx"), { config: { source }, functions });
  assert.deepEqual(end, { exitCode: 0, stderr: "Pod #/definitions/a.Other" });
  const without = await run("starlark", pod("nginx"), { source });
  assert.match(without.messages.join(), /ctx\.open_api is not available here/);
});
