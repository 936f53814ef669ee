import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import { parseYamlDocuments } from "@capstan/model";
import { lackingRealVault, startRealVault } from "@capstan/testkit";

const programVariable = "CAPSTAN_AVP_PROGRAM";
const real = process.env[programVariable];
const skip = lackingRealVault() || (real && existsSync(real) ? false : `${programVariable} names no program`);
const capstan = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const path = "secret/data/web";

const secret: Readonly<Record<string, unknown>> = {
  plain: "hunter2",
  signs: `<a> & "b" 'c' $1 # - {x}: *y`,
  lines: "one\n\n  two\nthree\n",
  word: "yes",
  digits: "010",
  unicode: "žluťoučký 🐎",
  empty: "",
  number: 3,
  fraction: 1.5,
  truth: true,
  object: { b: [1, { c: "<&>" }], a: null },
  json: '{"b":["x",{"c":"<&>"}],"a":{"n":7}}',
  yaml: "a: 1\nb: [x, yes, 0o17, 2001-01-01]\n",
  coded: "aGVsbG8=",
  broken: "aGVs\nbG8=\n",
  bytes: "//79",
  "with blank": "blank",
};

const texts = ["plain", "signs", "lines", "word", "digits", "unicode", "empty", "coded", "with blank"];
const placeholders = [
  ...texts.flatMap((key) => [key, `${key} | base64encode`, `${key}|sha256sum`]),
  "broken | base64decode",
  "bytes | base64decode | base64encode",
  "json | jsonPath {.b}",
  "json | jsonPath {.b[1].c}-{.a}",
  "object | jsonPath {range .b[*]}[{@}]{end}",
  "json | jsonParse | jsonPath {.a.n}",
  "yaml | yamlParse | jsonPath {.b}",
];
const typed = ["number", "fraction", "truth", "object", "json | jsonParse", "yaml | yamlParse"];
const refused = [
  "<none>",
  "<plain | upper>",
  "<plain | base64encode 1>",
  "<plain | jsonParse>",
  "<json | jsonPath {.z}>",
  "<object | sha256sum>",
  "<path:secret/data/none#plain>",
  "<path:secret/web#plain>",
  "<plain> <none>",
];

const base64 = (text: string) => Buffer.from(text).toString("base64");
const document = (kind: string, body: object, annotations: Readonly<Record<string, string>> = {}) => {
  const metadata = { name: "web", annotations: { "avp.kubernetes.io/path": path, ...annotations } };
  return { apiVersion: "v1", kind, metadata, ...body };
};

function documents(): object[] {
  const filled = placeholders.flatMap((one) => {
    const [generic, inline] = [`<${one}>`, `<path:${path}#${one}>`];
    const body = { a: generic, b: `x ${inline} y ${generic}`, c: `<path:${path}#plain#1>` };
    return [
      document("Thing", { spec: { ...body, list: [generic, { deep: inline }], [generic]: 1 } }),
      document("ConfigMap", { data: body }),
      document("Secret", { stringData: body, data: { d: base64(generic), e: base64(`x ${inline} y`) } }),
      { apiVersion: "v1", kind: "Thing", metadata: { name: "bare" }, spec: { a: generic, b: inline } },
    ];
  });
  const missing = { a: "<none>", b: "<plain>", c: `<path:${path}#none>` };
  return [
    ...filled,
    ...typed.map((one) => document("Thing", { spec: { a: `<${one}>`, list: [`<path:${path}#${one}>`] } })),
    document("ConfigMap", { data: { a: "<number>", b: "<truth>", c: "<fraction>" } }),
    document("Secret", { stringData: missing }, { "avp.kubernetes.io/remove-missing": "true" }),
    document("Thing", { spec: missing }, { "avp.kubernetes.io/ignore": "true" }),
    document("Secret", { data: { a: base64("<bytes | base64decode>"), b: "<bytes>" } }),
  ];
}

interface World {
  home: string;
  env: Readonly<Record<string, string>>;
}

async function generate(command: readonly string[], given: readonly object[], { home, env }: World) {
  const [program = "", ...args] = [...command, "generate", "-"];
  const own = { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...env };
  const child = spawn(program, args, { env: own, timeout: 60_000, stdio: ["pipe", "pipe", "ignore"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stdin.end(given.map((one) => `---\n${dumpYaml(one)}`).join(""));
  const [code] = await once(child, "close");
  return { code, values: parseYamlDocuments(out).map(({ value }) => value) };
}

test("the real argocd-vault-plugin and ours make the same of one stream, and refuse the same", {
  skip,
}, async () => {
  await using vault = await startRealVault();
  const home = await mkdtemp(join(tmpdir(), "capstan-avp-"));
  try {
    await vault.ask(`POST ${path}`, { data: { plain: "first" } });
    await vault.ask(`POST ${path}`, { data: secret });
    const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: vault.rootToken };
    const world = { home, env: { ...env, AVP_TYPE: "vault", AVP_AUTH_TYPE: "token" } };
    const ours = [process.execPath, capstan, "vault-plugin"];
    const both = (given: readonly object[]) =>
      Promise.all([generate([real ?? ""], given, world), generate(ours, given, world)]);
    const given = documents();
    const [expected, got] = await both(given);
    assert.deepEqual([expected.code, expected.values.length], [0, given.length]);
    assert.deepEqual(got, expected);
    for (const text of refused) {
      const [first, second] = await both([document("Thing", { spec: { text } })]);
      assert.deepEqual([first.code, second.code], [1, 1], text);
    }
  } finally {
    await rm(home, { recursive: true });
  }
});
