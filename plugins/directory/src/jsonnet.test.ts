import assert from "node:assert/strict";
import { test } from "node:test";
import type { DirectorySource } from "@capstan/model";
import { failsWith, realClock, startWorld, type TestRepository } from "@capstan/testkit/render-world";

type Files = Parameters<TestRepository["commit"]>[0];

async function render(files: Files, jsonnet: DirectorySource["jsonnet"] = {}, settings = {}) {
  await using world = await startWorld();
  world.repository.commit(files);
  const { manifests } = await world.render({ path: "app", directory: { jsonnet } }, { settings });
  return manifests.map(({ manifest }) => manifest);
}

const object = (name: string, data: string) =>
  `{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: ${name} }, data: ${data} }`;

test("external variables and arguments, as text with variables replaced and as code", async () => {
  const program = `function(name, more=[]) [${object("name", '{ region: std.extVar("region"), count: std.toString(std.extVar("numbers")[1] + std.length(more)) }')}]`;
  const [made] = await render(
    { "app/main.jsonnet": program },
    {
      extVars: [
        { name: "region", value: "north-$ARGOCD_APP_NAME" },
        { name: "numbers", value: "[1, 2]", code: true },
      ],
      tlas: [
        { name: "name", value: "settings" },
        { name: "more", value: "[1, 2, 3]", code: true },
      ],
    },
  );
  assert.equal(made?.metadata.name, "settings");
  assert.deepEqual(made?.data, { region: "north-web", count: "5" });
});

test("imports come from beside the file, from the application's directory and from libs of the repository", async () => {
  const files = {
    "app/main.jsonnet": `local a = import "beside.libsonnet"; local b = import "far.libsonnet"; ${object('"x"', '{ a: a, b: b, c: importstr "text.txt" }')}`,
    "app/beside.libsonnet": '"beside"',
    "vendor/lib/far.libsonnet": '"far"',
    "vendor/lib/text.txt": "text",
  };
  const [made] = await render(files, { libs: ["vendor/lib"] });
  assert.deepEqual(made?.data, { a: "beside", b: "far", c: "text" });
  await assert.rejects(
    render(files),
    failsWith(
      { code: "MANIFEST_INVALID", file: "app/main.jsonnet", line: 1 },
      /couldn't open import "far\.libsonnet"/,
    ),
  );
  await assert.rejects(render(files, { libs: ["../../elsewhere"] }), failsWith({ code: "PATH_OUTSIDE" }));
});

test("lists in lists are objects of their own", async () => {
  const made = await render({ "app/main.jsonnet": `[[${object('"a"', "{}")}], ${object('"b"', "{}")}]` });
  assert.deepEqual(
    made.map(({ metadata }) => metadata.name),
    ["a", "b"],
  );
});

test("a program that calls itself without end is ended, with file and line", async () => {
  const endless = "local call(x) =\n  call(x + 1) + 1;\n[call(1)]\n";
  await assert.rejects(
    render({ "app/main.jsonnet": endless }),
    failsWith(
      { code: "MANIFEST_INVALID", file: "app/main.jsonnet", line: 2 },
      /jsonnet: max stack frames exceeded/,
    ),
  );
  await assert.rejects(
    render({ "app/main.jsonnet": 'import "lib.libsonnet"', "app/lib.libsonnet": "\nlocal a = a; a\n" }),
    failsWith({ code: "MANIFEST_INVALID", file: "app/lib.libsonnet", line: 2 }, /infinite recursion/),
  );
});

test("a missing variable and an error of the program name file and line", async () => {
  for (const [program, message] of [
    ["\n[std.extVar('none')]", /undefined external variable: none/],
    ["\nerror 'on purpose'", /on purpose/],
    ["\nfunction(x) x", /missing argument: x/],
  ] as const)
    await assert.rejects(
      render({ "app/main.jsonnet": program }),
      failsWith({ code: "MANIFEST_INVALID", file: "app/main.jsonnet" }, message),
    );
});

test("where jsonnet is disabled its files give nothing, and others stay", async () => {
  const files = {
    "app/main.jsonnet": object('"j"', "{}"),
    "app/a.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',
  };
  const made = await render(files, {}, { disabledTypes: ["Jsonnet"] });
  assert.deepEqual(
    made.map(({ metadata }) => metadata.name),
    ["a"],
  );
});

test("a program that does not end is ended, and so is any other render", async () => {
  const files = { "app/a.jsonnet": "local f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1); f(60)\n" };
  for (const [limitMs, says] of [
    [60_000, { what: "jsonnet", afterMs: 60_000 }],
    [600_000, { what: "rendering by directory", afterMs: 600_000 }],
  ] as const) {
    // The one wait is over at once; the others are as long as they are.
    const sleep = (ms: number, signal: AbortSignal) => realClock.sleep(ms === limitMs ? 100 : ms, signal);
    await using world = await startWorld({ clock: { ...realClock, sleep } });
    world.repository.commit(files);
    await assert.rejects(world.render({ path: "app" }), failsWith({ code: "TIMED_OUT", ...says }));
  }
});
