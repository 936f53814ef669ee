import assert from "node:assert/strict";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import { type Manifest, parseYaml } from "@capstan/model";
import { type ReplaceOptions, replacePlaceholders, type SecretQuery } from "./replace-placeholders.ts";

const values: Readonly<Record<string, unknown>> = {
  user: "ada",
  password: "p<a>ss",
  replicas: 3,
  big: 12345678901234567890n,
  on: true,
  object: { a: { b: ["x", { c: "deep" }] } },
  json: '{"a":{"b":["x",{"c":"deep"}]}}',
  yaml: "a:\n  b: 1\n",
  lines: "one\n\n  two\nthree",
  coded: Buffer.from("plain").toString("base64"),
  wrapped: "cGxh\r\naW4=\n",
  leftOver: "cGxhaW5=",
  torn: "cGxhaW4",
  bytes: "//79",
  ended: "one\n\n two \n",
  nil: "null",
  signs: '{"b":"<&>","a":{"d":1,"c":null}}',
};

function world(more: Partial<ReplaceOptions> = {}) {
  const asked: SecretQuery[] = [];
  const options: ReplaceOptions = {
    isCompatible: false,
    allowedPaths: [],
    resolve: async (query) => {
      asked.push(query);
      if (query.path === "denied") throw new Error("permission denied");
      return values[query.key];
    },
    ...more,
  };
  const replace = async (manifest: Partial<Manifest>) =>
    replacePlaceholders({ apiVersion: "v1", kind: "Thing", metadata: {}, ...manifest }, options);
  return { asked, replace };
}

const withPath = { annotations: { "avp.kubernetes.io/path": "secret/data/web" } };

test("generic placeholders count only with a path annotation", async () => {
  const { replace } = world();
  const spec = { text: "hello <user>" };
  assert.deepEqual((await replace({ spec })).manifest.spec, spec);
  assert.deepEqual((await replace({ metadata: withPath, spec })).manifest.spec, { text: "hello ada" });
});

test("inline placeholders always count, with their own path and version", async () => {
  const { replace, asked } = world();
  const spec = {
    a: "<path:kv/data/x#user>:<path:kv/data/x#user#4>",
    list: ["<path:kv/data/x#user>", { b: 1 }],
  };
  const { manifest, problems } = await replace({ metadata: withPath, spec });
  assert.deepEqual(problems, []);
  assert.deepEqual(manifest.spec, { a: "ada:ada", list: ["ada", { b: 1 }] });
  assert.deepEqual(asked[1], { path: "kv/data/x", key: "user", version: "4", isWhole: false });
});

test("the annotations' versions go with the question", async () => {
  const { replace, asked } = world();
  const annotations = {
    ...withPath.annotations,
    "avp.kubernetes.io/secret-version": "7",
    "avp.kubernetes.io/kv-version": "1",
  };
  await replace({ metadata: { annotations }, spec: { a: "<user>" } });
  assert.deepEqual(asked, [
    { path: "secret/data/web", key: "user", version: "7", kvVersion: "1", isWhole: true },
  ]);
});

test("a value that is no text takes the whole place", async () => {
  const { replace } = world();
  const spec = { replicas: "<replicas>", on: "<on>", big: "<big>", object: "<object>", text: "n=<replicas>" };
  const { manifest } = await replace({ metadata: withPath, spec });
  assert.deepEqual(manifest.spec, {
    replicas: 3,
    on: true,
    big: 12345678901234567890n,
    object: values.object,
    text: "n=3",
  });
  const compatible = await world({ isCompatible: true }).replace({ metadata: withPath, spec });
  assert.deepEqual(Object(compatible.manifest.spec).text, 3);
});

test("a value that looks like a placeholder is not replaced again", async () => {
  const { manifest } = await world().replace({ metadata: withPath, spec: { a: "<password>" } });
  assert.deepEqual(manifest.spec, { a: "p<a>ss" });
});

test("a Secret's base64 is looked into and coded again; plain text is taken as it is", async () => {
  const code = (text: string) => Buffer.from(text).toString("base64");
  const { manifest } = await world().replace({
    kind: "Secret",
    metadata: withPath,
    data: { a: code("user=<user>"), b: code("nothing"), c: "<user | base64encode>" },
    stringData: { d: "<user>" },
  });
  assert.deepEqual(manifest.data, { a: code("user=ada"), b: code("nothing"), c: code("ada") });
  assert.deepEqual(manifest.stringData, { d: "ada" });
});

test("bytes that are no text come through a Secret's base64, in the placeholder's place and around it", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0xfd]);
  const code = (...parts: (string | Buffer)[]) =>
    Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(part)))).toString("base64");
  const { manifest, problems } = await world().replace({
    kind: "Secret",
    metadata: withPath,
    data: { a: code("<bytes | base64decode>"), b: code(bytes, "é <user>"), c: code("<bytes|base64decode>!") },
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(manifest.data, { a: code(bytes), b: code(bytes, "é ada"), c: code(bytes, "!") });
});

test("bytes that a store keeps stand as base64 alone, as they are in a Secret's base64, and in a text where they are one", async () => {
  const bytes = Buffer.from([0xff, 0x00]);
  const { replace } = world({ resolve: async ({ key }) => (key === "blob" ? bytes : Buffer.from("text")) });
  const coded = Buffer.from("<blob>").toString("base64");
  const data = { a: "<blob>", b: coded, c: "<blob | base64encode>" };
  const secret = await replace({ kind: "Secret", metadata: withPath, data });
  assert.deepEqual(secret.manifest.data, { a: "/wA=", b: "/wA=", c: "/wA=" });
  const map = await replace({
    kind: "ConfigMap",
    metadata: withPath,
    data: { a: "<other>", b: "a <other>" },
  });
  assert.deepEqual([map.manifest.data, map.problems], [{ a: "text", b: "a text" }, []]);
  const { problems } = await replace({ kind: "ConfigMap", metadata: withPath, data: { a: "<blob>" } });
  assert.match(problems.join(), /<blob> is no text/);
});

test("no object is coded into a Secret's base64", async () => {
  const data = { a: Buffer.from("<object>").toString("base64") };
  for (const isCompatible of [false, true]) {
    const { problems } = await world({ isCompatible }).replace({ kind: "Secret", metadata: withPath, data });
    assert.match(problems.join(), /a is an object, which cannot stand within a text/);
  }
});

test("base64 in a Secret is Go's: broken lines count, blanks and lacking padding do not", async () => {
  const coded = Buffer.from("<user>").toString("base64");
  const data = { a: `${coded.slice(0, 4)}\n${coded.slice(4)}\n`, b: ` ${coded}`, c: "PHVzZXI" };
  const { manifest } = await world().replace({ kind: "Secret", metadata: withPath, data });
  assert.deepEqual(manifest.data, { ...data, a: Buffer.from("ada").toString("base64") });
});

test("a ConfigMap takes texts only", async () => {
  const data = { n: "<replicas>", on: "<on>", big: "<big>" };
  const { manifest } = await world().replace({ kind: "ConfigMap", metadata: withPath, data });
  assert.deepEqual(manifest.data, { n: "3", on: "true", big: "12345678901234567890" });
  const object = await world().replace({ kind: "ConfigMap", metadata: withPath, data: { o: "<object>" } });
  assert.match(object.problems.join(), /<object> is an object/);
});

test("ignored documents pass untouched, keys of maps too", async () => {
  const annotations = { ...withPath.annotations, "avp.kubernetes.io/ignore": "true" };
  const { manifest } = await world().replace({ metadata: { annotations }, spec: { a: "<user>" } });
  assert.deepEqual(manifest.spec, { a: "<user>" });
  const keys = await world().replace({ metadata: withPath, spec: { "<user>": "<user>" } });
  assert.deepEqual(keys.manifest.spec, { "<user>": "ada" });
});

test("a value that is missing is named by key and path; remove-missing takes the key away", async () => {
  const spec = { a: "<nothing>", b: "<path:kv/x#none>" };
  const { problems } = await world().replace({ metadata: withPath, spec });
  assert.deepEqual(problems, [
    "nothing at secret/data/web: there is no value",
    "none at kv/x: there is no value",
  ]);
  const annotations = { ...withPath.annotations, "avp.kubernetes.io/remove-missing": "true" };
  const secret = await world().replace({
    kind: "Secret",
    metadata: { annotations },
    stringData: { a: "<nothing>", b: "<user>" },
  });
  assert.deepEqual(secret.manifest.stringData, { b: "ada" });
  const other = await world().replace({ metadata: { annotations }, spec });
  assert.match(other.problems.join(), /remove-missing is for Secrets and ConfigMaps only/);
});

test("remove-missing takes inline placeholders' keys too, and no item of a list", async () => {
  const annotations = { ...withPath.annotations, "avp.kubernetes.io/remove-missing": "TRUE" };
  const { manifest, problems } = await world().replace({
    kind: "ConfigMap",
    metadata: { annotations },
    data: { a: "<path:kv/x#none>", b: "and <nothing> too", c: "<user>" },
  });
  assert.deepEqual([manifest.data, problems], [{ c: "ada" }, []]);
  const list = await world().replace({ kind: "Secret", metadata: { annotations }, list: ["<nothing>"] });
  assert.match(list.problems.join(), /<nothing> has no value, and an item of a list is not removed/);
});

test("what is neither true nor false in an annotation is false", async () => {
  const annotations = { ...withPath.annotations, "avp.kubernetes.io/ignore": "yes" };
  const { manifest } = await world().replace({ metadata: { annotations }, spec: { a: "<user>" } });
  assert.deepEqual(manifest.spec, { a: "ada" });
  const one = { ...withPath.annotations, "avp.kubernetes.io/ignore": "1" };
  const ignored = await world().replace({ metadata: { annotations: one }, spec: { a: "<user>" } });
  assert.deepEqual(ignored.manifest.spec, { a: "<user>" });
});

test("blanks, brackets and lists of lists", async () => {
  const spec = { a: "< user >", b: "<<user>>", c: [["<user>"]], d: "<user" };
  const { manifest } = await world().replace({ metadata: withPath, spec });
  assert.deepEqual(manifest.spec, { a: "ada", b: "ada>", c: [["ada"]], d: "<user" });
});

test("with a path of its own a document's placeholders are of one line, and what is around path: is passed over", async () => {
  const { replace, asked } = world();
  const spec = { a: "<us\ner>", b: "<see path:kv/x#user#>", c: "<path:kv/x#user#1#2>" };
  const { manifest } = await replace({ metadata: withPath, spec });
  assert.deepEqual(manifest.spec, { a: "<us\ner>", b: "ada", c: "ada" });
  assert.deepEqual(
    asked.map(({ path, version }) => `${path} ${version}`),
    ["kv/x undefined", "kv/x 1#2"],
  );
});

test("an empty version is none, and an annotation that was not quoted counts", async () => {
  const { replace, asked } = world();
  const annotations = Object.assign(
    { ...withPath.annotations, "avp.kubernetes.io/secret-version": "" },
    { "avp.kubernetes.io/kv-version": 1 },
  );
  await replace({ metadata: { annotations: Object(annotations) }, spec: { a: "<user>" } });
  assert.deepEqual(asked, [{ path: "secret/data/web", key: "user", kvVersion: "1", isWhole: true }]);
});

test("placeholders stand in apiVersion and kind too", async () => {
  const { manifest } = await world().replace({ apiVersion: "<user>/v1", kind: "<user>", metadata: withPath });
  assert.deepEqual([manifest.apiVersion, manifest.kind], ["ada/v1", "ada"]);
  const { problems } = await world().replace({ kind: "<replicas>", metadata: withPath });
  assert.match(problems.join(), /make it no object of Kubernetes/);
});

test("a denied path is told in the store's words, with key and path", async () => {
  const { problems } = await world().replace({ spec: { a: "<path:denied#user>" } });
  assert.deepEqual(problems, ["user at denied: permission denied"]);
});

test("a value that would break the YAML or JSON that it is put into is refused without being told", async () => {
  const data = {
    "app.yaml": "user: <user>\nmore: <tricky>\n",
    "app.json": '{"user": "<quoted>"}',
    "ok.yaml": 'more: |\n  <lines | indent 2>\nuser: "<user>"\n',
    "any.conf": "more: <tricky>",
    "whole.yaml": "<tricky>",
  };
  const broken = world({
    resolve: async ({ key }) => ({ tricky: 'a: "b', quoted: 'x"y' })[key] ?? values[key],
  });
  const { problems } = await broken.replace({ kind: "ConfigMap", metadata: withPath, data });
  assert.deepEqual(problems.toSorted(), [
    "<quoted> breaks what app.json holds: quote it there, or use indent",
    "<user> <tricky> breaks what app.yaml holds: quote it there, or use indent",
  ]);
  const compatible = await world({
    isCompatible: true,
    resolve: async () => 'a: "b',
  }).replace({ kind: "ConfigMap", metadata: withPath, data });
  assert.deepEqual(compatible.problems, []);
});

test("a value with the signs of YAML stays one text", async () => {
  const value = '- &a !!str "x: {y}" # no\n---\n...\n%YAML 1.2\n';
  const { manifest } = await world({ resolve: async () => value }).replace({
    metadata: withPath,
    spec: { a: "<user>" },
  });
  assert.deepEqual(parseYaml(dumpYaml(manifest)), manifest);
  assert.deepEqual(manifest.spec, { a: value });
});

test("paths that the operator does not allow are not asked for", async () => {
  const { replace, asked } = world({ allowedPaths: [/^team-a\//, /x$/] });
  const { problems } = await replace({
    metadata: withPath,
    spec: { a: "<user>", b: "<path:team-a/x#user>" },
  });
  assert.deepEqual(problems, ["user at secret/data/web: the path is not allowed by AVP_PATH_VALIDATION"]);
  assert.equal(asked.length, 1);
});

const modified: Readonly<Record<string, unknown>> = {
  "<user | base64encode>": "YWRh",
  "<coded | base64decode>": "plain",
  "<coded|base64decode|sha256sum>": "a116c9ed46d6207734a43317d30fd88f52ac8634c37d904bbf4e41d865f90475",
  "<json | jsonPath {.a.b[1].c}>": "deep",
  "<object | jsonPath {.a.b[*]}>": 'x {"c":"deep"}',
  "<object | jsonPath {.a['b'][0]}-{..c}>": "x-deep",
  "<json | jsonParse>": values.object,
  "<yaml | yamlParse>": { a: { b: 1 } },
  "<object | jsonPath {.a.b[0]} {.a.b[1].c}>": "x deep",
  "<json|jsonParse|jsonPath {.a.b[0]}|base64encode>": "eA==",
  "<lines | indent 2>": "one\n\n    two\n  three",
  "<wrapped | base64decode>": "plain",
  "<leftOver | base64decode>": "plain",
  "<bytes | base64decode | base64encode>": "//79",
  "<bytes|base64decode|sha256sum>": "8ca9f8c269c0a4b1d8bf0efc67d97df8ad5e0ea93630fd9099860d36c0fe75ea",
  "<signs | jsonPath {@}>": '{"a":{"c":null,"d":1},"b":"\\u003c\\u0026\\u003e"}',
  "<nil | jsonPath {@}>": "null",
  "<nil | yamlParse>": null,
};

for (const [text, expected] of Object.entries(modified))
  test(`modified: ${text}`, async () => {
    const { manifest, problems } = await world().replace({ metadata: withPath, spec: { text } });
    assert.deepEqual(problems, []);
    assert.deepEqual(manifest.spec, { text: expected });
  });

const refused: Readonly<Record<string, RegExp>> = {
  "<user | upper>": /there is no modifier "upper"/,
  "<user | base64decode>": /base64decode: the value is not base64/,
  "<object | base64encode>": /base64encode: takes a text, not object/,
  "<user | base64encode 3>": /takes 0 arguments, not 1/,
  "<json | jsonPath {.a.z}>": /z is not found/,
  "<user | jsonPath>": /jsonPath needs an expression/,
  "<user | jsonPath {.a}>": /jsonPath: the value cannot be parsed/,
  "<lines | yamlParse 1>": /takes 0 arguments, not 1/,
  "<replicas | sha256sum>": /sha256sum: takes a text, not number/,
  "<user | jsonParse>": /jsonParse: the value cannot be parsed/,
  "<lines | indent two>": /"two" is no width/,
  "<torn | base64decode>": /base64decode: the value is not base64/,
  "<bytes | base64decode>":
    /<bytes \| base64decode> is no text: put base64 of the placeholder into a Secret's data/,
  "<bytes | base64decode | indent 2>": /indent: takes a text, not bytes that are none/,
};

for (const [text, expected] of Object.entries(refused))
  test(`refused without its value: ${text}`, async () => {
    const { problems } = await world().replace({ metadata: withPath, spec: { text } });
    assert.match(problems.join(), expected);
    assert.doesNotMatch(problems.join(), /ada|deep/);
  });

test("compatible: what argocd-vault-plugin swallows and loses", async () => {
  const { replace } = world({ isCompatible: true });
  const { manifest } = await replace({
    metadata: withPath,
    spec: {
      a: "<user | base64decode>",
      b: "<lines | indent 2>",
      c: "<torn | base64decode>",
      d: "<ended | indent 2>",
      e: "a <nil | jsonParse> b",
      f: "<replicas> of <on>",
    },
  });
  assert.deepEqual(manifest.spec, {
    a: "",
    b: "one\n  two\n  three",
    c: "pla",
    d: "one\n  two\n",
    e: "a <nil | jsonParse> b",
    f: true,
  });
  const data = { n: "n=<replicas>" };
  const map = await replace({ kind: "ConfigMap", metadata: withPath, data });
  assert.deepEqual(map.manifest.data, { n: "3" });
});
