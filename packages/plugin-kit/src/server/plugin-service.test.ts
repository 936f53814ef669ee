import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ServedPlugin } from "../served-plugin.ts";
import { log, type RunOutcome, startPluginWorld, TestTree } from "./plugin-world.ts";

const sh = (script: string) => ({ command: ["sh", "-c", script] });
const shows = (script: string) => ({
  generate: sh(
    `printf 'apiVersion: v1\\nkind: Seen\\nmetadata:\\n  name: x\\nout: |\\n'; { ${script}; } | sed 's/^/  /'`,
  ),
});
const out = ({ manifests, done }: RunOutcome): string =>
  JSON.parse(manifests[0]?.json ?? "{}").out ?? `nothing: ${done.failure?.message}`;

test("says what its plugins are", async () => {
  await using world = await startPluginWorld([
    {
      ...shows("true"),
      version: "v1",
      discover: { find: { glob: "**/x" } },
      inputs: { paths: ["/lib"], globs: ["*.k"] },
      parameters: { static: [{ name: "a" }], dynamic: sh("echo '[]'") },
      concurrency: 2,
    },
    { transform: sh("cat"), sensitive: true },
  ]);
  const { plugins } = await world.own.describe({}, { signal: AbortSignal.timeout(100_000) });
  const [first, second] = plugins;
  assert.deepEqual(first?.shapes, ["generate"]);
  assert.equal(first?.discovery?.findGlob, "**/x");
  assert.deepEqual(first?.inputs?.globs, ["/lib", "*.k"]);
  assert.equal(first?.limits?.concurrency, 2);
  assert.equal(first?.dynamicParameters, true);
  assert.match(first?.digest ?? "", /^[0-9a-f]{64}$/);
  assert.deepEqual([second?.shapes, second?.sensitive], [["transform"], true]);
});

test("a script that may not be run is called so, and what to do", async () => {
  await using world = await startPluginWorld([
    { generate: { command: ["./gen.sh"] }, preserveFileMode: true, isolation: "none" },
  ]);
  const locked = await world.run(new TestTree({ "gen.sh": "#!/bin/sh\n" }));
  assert.match(
    locked.done.failure?.message ?? "",
    /fork\/exec \.\/gen\.sh: permission denied: \.\/gen\.sh is not executable; run chmod \+x \.\/gen\.sh/,
  );
});

test("a run gets the tree and asks only for what it lacks", async () => {
  await using world = await startPluginWorld([
    { ...shows("find . -type f -o -type l | LC_ALL=C sort; cat lib/f"), preserveFileMode: true },
  ]);
  const files = {
    "lib/f": "text",
    "lib/run": { executable: "#!/bin/sh" },
    "a/link": { link: "../lib/f" },
    "z.k": "k",
  };
  const first = await world.run(new TestTree(files));
  assert.equal(first.done.failure, undefined);
  assert.equal(out(first), "./a/link\n./lib/f\n./lib/run\n./z.k\ntext\n");
  assert.equal(first.wanted.length, 7);
  assert.deepEqual((await world.run(new TestTree(files))).wanted, []);
  const next = await world.run(new TestTree({ ...files, "lib/f": "other" }));
  assert.equal(next.wanted.length, 3, "root, lib and the file");
  assert.match(out(next), /\nother\n$/);
  const back = await world.run(new TestTree(files));
  assert.deepEqual(back.wanted, []);
  assert.match(out(back), /\ntext\n$/);
  assert.deepEqual(
    first.done.timings.map(({ name }) => name),
    ["queue", "transfer", "generate"],
  );
});

test("runs at once ask for each object once; one that is sent forged content harms none", async () => {
  await using world = await startPluginWorld([shows("cat a/f")]);
  const tree = new TestTree({ "a/f": "text", "b/g": "other" });
  const runs = await Promise.all(Array.from({ length: 6 }, () => world.run(tree)));
  assert.deepEqual(new Set(runs.map(out)), new Set(["text\n"]));
  const wanted = runs.flatMap((one) => one.wanted);
  assert.equal(wanted.length, new Set(wanted).size);
  const next = new TestTree({ "a/f": "changed", "b/g": "other" });
  const forged = world.run(next, { forge: true });
  const honest = await Promise.all(Array.from({ length: 3 }, () => world.run(next)));
  assert.match((await forged).done.failure?.message ?? "forgery was not needed", /another id|not needed/);
  assert.deepEqual(new Set(honest.map(out)), new Set(["changed\n"]));
});

test("only the paths that are named are asked for", async () => {
  await using world = await startPluginWorld([shows("find . -type f | LC_ALL=C sort")]);
  const tree = new TestTree({ "a/x": "1", "a/b/y": "2", "c/z": "3", d: "4" });
  assert.equal(out(await world.run(tree, { paths: ["a/b", "d"] })), "./a/b/y\n./d\n");
  assert.equal(out(await world.run(tree)), "./a/b/y\n./a/x\n./c/z\n./d\n");
});

test("what a plugin writes reaches no other run", async () => {
  const damage = [
    "echo changed > f",
    "echo new > dir/new; mkdir -p more/deep; echo x > more/deep/x",
    "rm -rf dir; ln -s /etc dir",
    "chmod 600 f; rm link; echo file > link",
    "touch -d 2001-01-01 f; printf 0123 > same; touch -r f same",
    "ln f hard; echo through > hard; rm hard",
    "mv dir moved; mkdir dir; cp moved/* dir/",
    "cd ..; rm -rf source/dir",
  ];
  const files = { f: "text\n", "dir/a": "a", "dir/b/c": "c", link: { link: "dir/a" }, same: "abcd" };
  await using world = await startPluginWorld([
    shows("find . -printf '%p %y %m %l\\n' | LC_ALL=C sort; cat f same dir/b/c"),
    ...damage.map((script) => shows(script)),
  ]);
  const tree = new TestTree(files);
  const clean = out(await world.run(tree));
  for (const index of damage.keys()) {
    const { done } = await world.run(tree, { plugin: `p${index + 1}` });
    assert.equal(done.failure, undefined);
    assert.equal(out(await world.run(tree)), clean, damage[index] ?? "");
    const other = new TestTree({ ...files, f: "changed\n" });
    assert.match(out(await world.run(other)), /\nchanged\nabcdc\n?$/);
  }
});

test("runs at the same time do not see each other's files", async () => {
  await using world = await startPluginWorld([shows("echo mine > w; sleep 0.2; cat w; echo other > w")]);
  const tree = new TestTree({ a: "a" });
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => world.run(tree)));
  assert.deepEqual(outcomes.map(out), Array(4).fill("mine\n"));
});

test("an object whose content has another id is refused and not kept", async () => {
  await using world = await startPluginWorld([shows("cat a")]);
  const tree = new TestTree({ a: "true" });
  const { done } = await world.run(tree, { forge: true });
  assert.equal(done.failure?.code, "INVALID_ARGUMENT");
  assert.match(out(await world.run(tree)), /^true/);
});

test("links out of the repository and odd names are refused", async () => {
  await using world = await startPluginWorld([shows("cat a")]);
  for (const [name, link] of Object.entries({ a: "../x", "b/c": "/etc/passwd", "d/e": "../../f" })) {
    const { done } = await world.run(new TestTree({ [name]: { link } }));
    assert.equal(done.failure?.code, "SYMLINK_OUTSIDE");
  }
  const { done } = await world.run(new TestTree({ "x/../y": "1" }));
  assert.equal(done.failure?.code, "PATH_OUTSIDE");
});

test("failures keep their code, their place and what was said", async () => {
  await using world = await startPluginWorld([
    { generate: sh("echo one >&2; echo two >&2; exit 4") },
    { generate: sh("printf 'apiVersion: v1\\nkind: X\\nmetadata: {name: x}\\n---\\nb: [\\n'") },
    { generate: sh("printf 'apiVersion: v1\\nkind: X\\n---\\nkind: Z\\n'") },
    { generate: { command: ["/no/such/thing"] } },
  ]);
  const tree = new TestTree({ a: "a" });
  const failed = await world.run(tree);
  assert.equal(failed.done.failure?.code, "TOOL_FAILED");
  assert.deepEqual(JSON.parse(failed.done.failure?.factsJson ?? ""), {
    tool: "sh",
    command: 'sh -c "echo one >&2; echo two >&2; exit 4"',
    exitCode: 4,
    stderr: "one\ntwo",
  });
  assert.equal(failed.log, "one\ntwo\n");
  const broken = await world.run(tree, { plugin: "p1" });
  assert.match(broken.done.failure?.message ?? "", /output of plugin p1: document 2, line/);
  const nameless = await world.run(tree, { plugin: "p2" });
  assert.match(nameless.done.failure?.message ?? "", /document 2.*apiVersion/);
  const absent = await world.run(tree, { plugin: "p3" });
  assert.match(absent.done.failure?.message ?? "", /\/no\/such\/thing: no such file/);
  const unknown = await world.run(tree, { plugin: "p9" });
  assert.match(unknown.done.failure?.message ?? "", /p9/);
});

test("a List becomes its items, each with its place", async () => {
  const list =
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- {apiVersion: v1, kind: B, metadata: {name: b}}\n";
  await using world = await startPluginWorld([{ generate: { command: ["cat", "l"] } }]);
  const { manifests } = await world.run(new TestTree({ l: `---\n${list}` }));
  assert.deepEqual(
    manifests.map(({ json, document }) => [JSON.parse(json).kind, document]),
    [
      ["A", 1],
      ["B", 1],
    ],
  );
});

test("manifests are transformed", async () => {
  await using world = await startPluginWorld([{ transform: sh("sed s/one/two/") }]);
  const input = [
    '{"apiVersion":"v1","kind":"A","metadata":{"name":"one"}}',
    '{"apiVersion":"v1","kind":"B","metadata":{"name":"one"}}',
  ];
  const { manifests } = await world.run(new TestTree({ a: "" }), { action: "transform", input });
  assert.deepEqual(
    manifests.map(({ json }) => json),
    input.map((json) => json.replace("one", "two")),
  );
});

test("a plugin that prepares tells which files it changed", async () => {
  const served: ServedPlugin = {
    describe: async () => ({
      name: "p0",
      digest: "1",
      shapes: ["prepare"],
      parameters: [],
      dynamicParameters: false,
      sensitive: false,
      preserveFileMode: false,
      provideGitCreds: false,
    }),
    match: async () => true,
    announce: async () => [],
    async prepare({ root }) {
      await writeFile(join(root, "changed"), "after");
      await writeFile(join(root, "same"), "same");
      await rm(join(root, "dir"), { recursive: true });
      await mkdir(join(root, "made/deep"), { recursive: true });
      await symlink("../changed", join(root, "made/link"));
      return { output: { manifests: [] }, commands: [], timings: [] };
    },
  };
  await using world = await startPluginWorld([served]);
  const tree = new TestTree({ changed: "before", same: "same", "dir/a": "a", kept: "k" });
  for (const _again of [1, 2]) {
    const { files } = await world.run(tree, { action: "prepare" });
    assert.deepEqual(
      files.map(({ path, data, deleted, mode }) => [
        path,
        deleted || `${mode.toString(8)} ${Buffer.from(data)}`,
      ]),
      [
        ["changed", "100644 after"],
        ["dir/a", true],
        ["made/link", "120000 ../changed"],
      ],
    );
  }
});

test("a plugin is told of a hard refresh, and where the time went", async () => {
  const told: (string | undefined)[] = [];
  const served: ServedPlugin = {
    describe: async () => ({
      name: "p0",
      digest: "1",
      shapes: ["generate"],
      parameters: [],
      dynamicParameters: false,
      sensitive: false,
      preserveFileMode: false,
      provideGitCreds: false,
    }),
    match: async () => true,
    announce: async () => [],
    async generate({ details }) {
      told.push(details?.refresh);
      return { output: { manifests: [] }, commands: [], timings: [{ name: "generate", ms: 7 }] };
    },
  };
  await using world = await startPluginWorld([served]);
  for (const refresh of ["normal", "hard"]) {
    const { done } = await world.run(new TestTree({ a: "" }), { refresh });
    assert.deepEqual(
      done.timings.map(({ name }) => name),
      ["queue", "transfer", "generate"],
    );
  }
  assert.deepEqual(told, ["normal", "hard"]);
});

test("credentials are asked for, given or refused", async () => {
  const asks: ServedPlugin["generate"] = async ({ details }) => {
    const env = await details?.credentials("https://git.example/charts");
    return {
      output: { text: `apiVersion: v1\nkind: Told\nuser: ${env?.GIT_USERNAME}` },
      commands: [],
      timings: [],
    };
  };
  const plain = {
    name: "p0",
    digest: "1",
    shapes: ["generate" as const],
    parameters: [],
    dynamicParameters: false,
  };
  const served: ServedPlugin = {
    describe: async () => ({ ...plain, sensitive: false, preserveFileMode: false, provideGitCreds: true }),
    match: async () => true,
    announce: async () => [],
    generate: asks,
  };
  await using world = await startPluginWorld([served]);
  const tree = new TestTree({ a: "" });
  const given = await world.run(tree, {
    credentials: () => ({ env: [{ name: "GIT_USERNAME", value: "me" }] }),
  });
  assert.equal(JSON.parse(given.manifests[0]?.json ?? "{}").user, "me");
  const { done } = await world.run(tree, { credentials: () => ({ refused: "not of this project" }) });
  assert.match(done.failure?.message ?? "", /not of this project/);
});

test("a command of discovery and announced parameters", async (t) => {
  const warned = t.mock.method(log, "warn");
  await using world = await startPluginWorld([
    {
      ...shows("true"),
      discover: { find: sh('test -e "$ARGOCD_ENV_WHAT" && echo yes; true') },
      parameters: { static: [{ name: "s" }], dynamic: sh(`echo '[{"name":"d","array":["1"]}]'`) },
    },
  ]);
  const tree = new TestTree({ "app/x": "" });
  const match = (what: string) =>
    world.run(tree, { action: "match", path: "app", env: { ARGOCD_ENV_WHAT: what } });
  assert.equal((await match("x")).done.matched, true);
  assert.equal((await match("y")).done.matched, false);
  assert.equal(warned.mock.callCount(), 0, "that a repository is not this plugin's is no news");
  const { announced } = await world.run(tree, { action: "announce" });
  assert.deepEqual(
    announced?.parameters.map(({ name }) => name),
    ["d", "s"],
  );
});
