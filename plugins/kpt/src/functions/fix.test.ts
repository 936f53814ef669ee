import assert from "node:assert/strict";
import { test } from "node:test";
import { readResources } from "../read-resources.ts";
import { writeResources } from "../write-resources.ts";
import { fix } from "./fix.ts";

const context = {
  signal: new AbortController().signal,
  clock: { now: () => 0, sleep: async () => undefined },
  env: {},
  allowNetwork: false,
  readFile: async () => undefined,
};

const former = (definitions: string) => `apiVersion: kpt.dev/v1alpha1
kind: Kptfile
metadata:
  name: shop
openAPI:
  definitions:
${definitions}`;

async function run(files: Record<string, string>) {
  const items = readResources(new Map(Object.entries(files)), "");
  const list = { items, functionConfig: undefined, results: [] as { message: string }[] };
  const end = await fix(list, context);
  return { end, files: writeResources(list.items), messages: list.results.map(({ message }) => message) };
}

test("a setter of kpt 0.x becomes an entry for apply-setters and a comment that it reads", async () => {
  const setter = "    io.k8s.cli.setters.name: {x-k8s-cli: {setter: {name: name, value: web}}}\n";
  const map = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web # {"$kpt-set":"name"}\n`;
  const { files } = await run({ Kptfile: former(setter), "map.yaml": map });
  assert.equal(files.get("map.yaml"), map.replace('{"$kpt-set":"name"}', "kpt-set: ${name}"));
  assert.match(files.get("setters.yaml") ?? "", /data:\n {2}name: web\n$/);
  assert.match(
    files.get("Kptfile") ?? "",
    /mutators:\n +- image: \S*apply-setters:v0.2\n +configPath: setters/,
  );
});

test("substitutions that need each other are refused by name", async () => {
  const part = (name: string, other: string) =>
    `    io.k8s.cli.substitutions.${name}: {x-k8s-cli: {substitution: {name: ${name}, pattern: x, values: [{marker: m, ref: "#/definitions/io.k8s.cli.substitutions.${other}"}]}}}\n`;
  const map = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web # {"$kpt-set":"a"}\n`;
  const { end, messages } = await run({
    Kptfile: former(part("a", "b") + part("b", "a")),
    "map.yaml": map,
  });
  assert.equal(end?.exitCode, 1);
  assert.deepEqual(messages, ["failed to fix package: cyclic substitution detected with name a"]);
});

test("a field that kpt never had is refused with its line", async () => {
  const kptfile = "apiVersion: kpt.dev/v1alpha1\nkind: Kptfile\nmetadata:\n  name: shop\ncolour: red\n";
  const { messages } = await run({ Kptfile: kptfile });
  assert.match(messages[0] ?? "", /line \d+: field colour not found in type v1alpha1.KptFile/);
});
