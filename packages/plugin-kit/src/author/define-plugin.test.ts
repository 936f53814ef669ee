import assert from "node:assert/strict";
import { test } from "node:test";
import { isCapstanError } from "@capstan/model";
import { definePlugin } from "./define-plugin.ts";
import { announcementsOf, boolean, choice, list, map, number, readValues, string } from "./parameters.ts";
import { PluginError } from "./plugin-error.ts";
import { testPlugin } from "./test-plugin.ts";

const parameters = {
  image: string({ required: true, title: "Image" }),
  replicas: number({ default: 2 }),
  debug: boolean({ default: false, tooltip: "Say more" }),
  size: choice(["small", "large"], { default: "small" }),
  hosts: list({ default: ["a.example"] }),
  labels: map(),
  note: string(),
};

const web = definePlugin({
  name: "web",
  parameters,
  generate: ({ parameters: { image, replicas, hosts, labels, size }, app }) => [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: app.name, labels },
      // The types are those of the definition: this would not compile if replicas were text.
      spec: { replicas: replicas + 1, image: image.toUpperCase(), hosts: hosts.join(" "), size },
    },
  ],
});

test("values are typed, and what is not set has its default", async () => {
  const { manifests } = await testPlugin(web, { parameters: { image: "nginx", labels: { tier: "web" } } });
  assert.deepEqual(manifests, [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "test", labels: { tier: "web" } },
      spec: { replicas: 3, image: "NGINX", hosts: "a.example", size: "small" },
    },
  ]);
});

test("the announcements come from the same definition", () => {
  assert.deepEqual(announcementsOf(parameters), [
    { name: "image", required: true, title: "Image" },
    { name: "replicas", itemType: "number", string: "2" },
    { name: "debug", tooltip: "Say more", itemType: "boolean", string: "false" },
    { name: "size", tooltip: "one of small, large", string: "small", choices: ["small", "large"] },
    { name: "hosts", collectionType: "array", array: ["a.example"] },
    { name: "labels", collectionType: "map", map: {} },
    { name: "note" },
  ]);
});

const refused: [string, { name: string; string?: string }[], RegExp][] = [
  ["a required parameter that is not set", [], /parameter image: is required/],
  [
    "a number that is none",
    [
      { name: "image", string: "x" },
      { name: "replicas", string: "two" },
    ],
    /parameter replicas: "two" is not a number/,
  ],
  ["a parameter that is not there", [{ name: "imgae", string: "x" }], /parameter imgae: is not a parameter/],
  [
    "a choice that is none",
    [
      { name: "image", string: "x" },
      { name: "size", string: "huge" },
    ],
    /"huge" is none of small, large/,
  ],
];
for (const [fact, given, message] of refused)
  test(`${fact} is refused by name`, () => {
    assert.throws(() => readValues(parameters, given), message);
  });

test("an author's error keeps its place", async () => {
  const strict = definePlugin({
    name: "strict",
    generate: async ({ read }) => {
      const text = await read("values.yaml");
      throw new PluginError("colour is missing", { file: "values.yaml", line: text.split("\n").length });
    },
  });
  await assert.rejects(testPlugin(strict, { files: { "values.yaml": "a: 1\nb: 2" } }), (error: unknown) => {
    assert.ok(isCapstanError(error, "PLUGIN_FAILED"));
    assert.equal(error.message, "plugin strict failed in values.yaml: line 2: colour is missing");
    return true;
  });
});

test("a plugin prepares files, reads manifests with their places, and transforms them", async () => {
  const chain = definePlugin({
    name: "chain",
    prepare: async ({ read, directory }) => {
      const text = await read("a.yaml");
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${directory}/a.yaml`, text.replace("NAME", "ada"));
    },
    generate: async ({ glob, readManifests }) =>
      (await Promise.all((await glob("*.yaml")).map(readManifests))).flat(),
    transform: (manifests) =>
      manifests.map((one) => ({ ...one, metadata: { ...one.metadata, namespace: "shop" } })),
  });
  const { manifests, files } = await testPlugin(chain, {
    path: "app",
    files: { "app/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n" },
  });
  assert.deepEqual(manifests[0]?.metadata, { name: "ada", namespace: "shop" });
  assert.match(files["app/a.yaml"] ?? "", /name: ada/);
});

test("what is no Kubernetes object is said with its position", async () => {
  const odd = definePlugin({ name: "odd", generate: () => [{ apiVersion: "v1", kind: "" }] });
  await assert.rejects(testPlugin(odd), /plugin odd failed: what it made is no Kubernetes object: item 1/);
});

test("a program's failure says what it printed, without temporary paths", async () => {
  const failing = definePlugin({
    name: "failing",
    generate: async ({ run, directory }) => {
      await run("sh", ["-c", `echo "no such chart in ${directory}" >&2; exit 3`]);
      return [];
    },
  });
  await assert.rejects(testPlugin(failing), /exit code 3 .*: no such chart in \./);
});

test("a plugin must do something and have a name that a socket can have", () => {
  assert.throws(() => definePlugin({ name: "idle" }), /at least one of/);
  assert.throws(() => definePlugin({ name: "Web App", generate: () => [] }), /lower-case/);
});
