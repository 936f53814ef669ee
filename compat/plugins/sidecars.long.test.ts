/** Plugin sidecars under Capstan: Argo CD's own server, and Capstan's in its place, behave the same. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isCapstanError, readApplication } from "@capstan/model";
import { probeIsolation } from "@capstan/plugin-kit/server";
import { freePorts, lackingCmpServer, realClock } from "@capstan/testkit";
import { isWhole } from "@capstan/testkit/whole-suite";
import { load } from "js-yaml";
import { servePluginsHere } from "./our-plugin-server.ts";
import { openRenderWorld, type ServerKind } from "./render-world.ts";
import { scriptFolder } from "./script-folder.ts";

const kinds: readonly { kind: ServerKind; skip: string | false }[] = [
  { kind: "argocd-cmp-server", skip: lackingCmpServer() },
  { kind: "Capstan's plugin server", skip: false },
];

const manifest = (name: string, data: Record<string, string> = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const generate = (script: string) => `generate: {command: [sh, -c, ${JSON.stringify(script)}]}`;
/** Prints a ConfigMap whose data is what a command prints. */
const show = (command: string) =>
  generate(
    `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: shown}\\ndata:\\n  text: |\\n'; ${command} | sed 's/^/    /'`,
  );
const textOf = (answer: { manifests: readonly { manifest: { [field: string]: unknown } }[] }): string => {
  const data = answer.manifests[0]?.manifest.data;
  return data instanceof Object && "text" in data ? String(data.text) : "";
};
const withCode =
  (...codes: Parameters<typeof isCapstanError>[1][]) =>
  (error: unknown) =>
    isCapstanError(error) && codes.includes(error.code);

for (const { kind, skip } of [...kinds, { kind: "capstan plugin-server", skip: false } as const])
  test(`${kind}: the environment is Argo CD's, in names and values`, { skip }, async () => {
    const spec = show("env | grep -E '^(ARGOCD_(APP|ENV)|PARAM|KUBE)' | LC_ALL=C sort");
    await using world = await openRenderWorld(kind, [{ name: "env", spec }]);
    const revision = await world.repository.commit({ "app/a.txt": "a" });
    const env = [
      { name: "A", value: "$ARGOCD_APP_NAME-${KUBE_VERSION}-$$x-$NOPE" },
      { name: "EMPTY", value: "" },
    ];
    const parameters = [
      { name: "a-b.c", string: "<&>" },
      { name: "m", map: { "b/x": "1", a: "2" } },
      { name: "l", array: ["x", "y"] },
      { name: "all", string: "s", map: { k: "v" }, array: ["e"] },
    ];
    const answer = await world.render({ plugin: { name: "env", env, parameters } });
    const expected = {
      ARGOCD_APP_NAME: "web",
      ARGOCD_APP_NAMESPACE: "shop",
      ARGOCD_APP_PARAMETERS:
        '[{"name":"a-b.c","string":"\\u003c\\u0026\\u003e"},{"map":{"a":"2","b/x":"1"},"name":"m"},{"array":["x","y"],"name":"l"},{"array":["e"],"map":{"k":"v"},"name":"all","string":"s"}]',
      ARGOCD_APP_PROJECT_NAME: "default",
      ARGOCD_APP_REVISION: revision,
      ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
      ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
      ARGOCD_APP_SOURCE_PATH: "app",
      ARGOCD_APP_SOURCE_REPO_URL: world.repository.url,
      ARGOCD_APP_SOURCE_TARGET_REVISION: "main",
      ARGOCD_ENV_A: "web-1.34.2-$x-",
      ARGOCD_ENV_EMPTY: "",
      KUBE_API_VERSIONS: "v1,apps/v1,apps/v1/Deployment",
      KUBE_VERSION: "1.34.2",
      PARAM_ALL: "s",
      PARAM_ALL_0: "e",
      PARAM_ALL_K: "v",
      PARAM_A_B_C: "<&>",
      PARAM_L_0: "x",
      PARAM_L_1: "y",
      PARAM_M_A: "2",
      PARAM_M_B_X: "1",
    };
    const lines = Object.entries(expected).map(([name, value]) => `${name}=${value}`);
    assert.deepEqual(textOf(answer).trimEnd().split("\n"), lines);
    const none = textOf(await world.render({ plugin: { name: "env" } }));
    assert.match(none, /^ARGOCD_APP_PARAMETERS=null$/m);
  });

for (const { kind, skip } of kinds) {
  test(`${kind}: files, links and modes arrive; exclusions do not`, { skip }, async () => {
    const long = `${"deep/".repeat(30)}file-with-a-name-ü.txt`;
    const spec = `preserveFileMode: true\n${show('cd .. && find . ! -type d -not -path \'./.git*\' | LC_ALL=C sort | while read -r f; do echo "$(stat -c %A "$f" | cut -c1,4) $f $(readlink "$f" || wc -c <"$f")"; done')}`;
    const options = { pluginTarExclude: ["secret", "*.log"] };
    await using world = await openRenderWorld(kind, [{ name: "files", spec }], options);
    const { repository } = world;
    await repository.commit({
      "app/a.txt": "abc",
      "app/run.sh": "#!/bin/sh\n",
      "app/x.log": "stays: * does not cross directories",
      "secret/a/b.txt": "x",
      "top.log": "x",
      [long]: "long",
      "empty.txt": "",
    });
    await chmod(join(repository.dir, "app/run.sh"), 0o755);
    await symlink("../empty.txt", join(repository.dir, "app/link"));
    await repository.commit({}, "modes");
    const lines = textOf(await world.render({ plugin: { name: "files" } }))
      .trimEnd()
      .split("\n");
    const wanted = [
      "-- ./app/a.txt 3",
      "l? ./app/link ../empty.txt",
      "-x ./app/run.sh 10",
      "-- ./app/x.log 35",
      `-- ./${long} 4`,
      "-- ./empty.txt 0",
    ];
    // Where the own protocol is spoken, nothing is archived and nothing excluded.
    const isArchived = kind === "argocd-cmp-server";
    const seen = lines.filter((line) => isArchived || !/secret|top\.log/.test(line));
    assert.deepEqual(
      seen.map((line) => line.replace(/^l./, "l?")),
      wanted,
    );
  });

  test(`${kind}: a link out of the repository is refused`, { skip }, async () => {
    await using world = await openRenderWorld(kind, [{ name: "p", spec: generate("true") }]);
    await symlink("/etc/passwd", join(world.repository.dir, "bad"));
    await world.repository.commit({ "app/a.txt": "a" });
    await assert.rejects(
      world.render({ plugin: { name: "p" } }),
      /bad points outside of the repository|outside of the repository/,
    );
  });

  test(`${kind}: init and generate that fail say which command and what it wrote`, { skip }, async () => {
    await using world = await openRenderWorld(kind, [
      {
        name: "init",
        spec: `init: {command: [sh, -c, "echo no such base >&2; exit 3"]}\n${generate("true")}`,
      },
      { name: "generate", spec: generate("echo broken values >&2; exit 4") },
      { name: "garbage", spec: generate("echo '{ not: [yaml'") },
    ]);
    await world.repository.commit({ "app/a.txt": "a" });
    const failed = withCode("PLUGIN_FAILED", "TOOL_FAILED");
    await assert.rejects(world.render({ plugin: { name: "init" } }), (error) => {
      return failed(error) && /no such base/.test(String(error)) && /sh -c/.test(String(error));
    });
    await assert.rejects(world.render({ plugin: { name: "generate" } }), (error) => {
      return failed(error) && /broken values/.test(String(error));
    });
    await assert.rejects(world.render({ plugin: { name: "garbage" } }), isCapstanError);
    await assert.rejects(world.render({ plugin: { name: "generate" } }), /cached failure/);
  });

  test(`${kind}: a command that hangs ends with the budget, and others render meanwhile`, {
    skip,
  }, async () => {
    // Of the one that works, too: it starts while ten others do.
    const limits = { renderTimeoutMs: 5_000 };
    const sidecars = [
      { name: "hangs", spec: generate("sleep 600") },
      { name: "works", spec: generate("cat a.json") },
    ];
    await using world = await openRenderWorld(kind, sidecars, { limits });
    await world.repository.commit({ "app/a.json": manifest("a") });
    const hanging = Array.from({ length: 10 }, (_, index) =>
      world.render({ plugin: { name: "hangs" } }, { appName: `app-${index}` }),
    );
    const settled = Promise.allSettled(hanging);
    assert.equal((await world.render({ plugin: { name: "works" } })).manifests.length, 1);
    for (const result of await settled)
      assert.ok(
        result.status === "rejected" && isCapstanError(result.reason),
        "each fails with a reason of ours",
      );
  });

  test(`${kind}: no output is no manifests; a List is its items; a null document nothing`, {
    skip,
  }, async () => {
    const list = `{"apiVersion":"v1","kind":"List","items":[${manifest("a")},${manifest("b")}]}`;
    await using world = await openRenderWorld(kind, [
      { name: "empty", spec: generate("true") },
      { name: "list", spec: generate(`printf '%s\\n---\\nnull\\n---\\n%s' '${list}' '${manifest("c")}'`) },
    ]);
    await world.repository.commit({ "app/a.txt": "a" });
    assert.deepEqual((await world.render({ plugin: { name: "empty" } })).manifests, []);
    const { manifests, sourceType } = await world.render({ plugin: { name: "list" } });
    assert.deepEqual(
      manifests.map((one) => one.manifest.metadata.name),
      ["a", "b", "c"],
    );
    assert.equal(sourceType, "Plugin");
  });

  test(`${kind}: discovery of each kind, named, unnamed and implicit`, { skip }, async () => {
    const spec = (discover: string) => `discover: ${discover}\n${generate("cat *.json")}`;
    await using world = await openRenderWorld(kind, [
      { name: "by-command", spec: spec('{find: {command: [sh, -c, "test -e commanded && echo yes"]}}') },
      { name: "by-glob", spec: spec('{find: {glob: "**/globbed.txt"}}') },
      { name: "by-name", version: "v1", spec: spec("{fileName: named.txt}") },
      { name: "never", spec: generate("cat *.json") },
    ]);
    const signs = { command: "commanded", glob: "sub/globbed.txt", name: "named.txt", none: "other.txt" };
    const files = Object.entries(signs).map(([directory, file]) => ({
      [`${directory}/${file}`]: "x",
      [`${directory}/a.json`]: manifest(directory),
    }));
    await world.repository.commit(Object.assign({}, ...files));
    const chosen = async (path: string, source = {}) => (await world.render({ path, ...source })).plugin;
    for (const source of [{}, { plugin: {} }]) {
      assert.equal(await chosen("command", source), "by-command");
      assert.equal(await chosen("glob", source), "by-glob");
      assert.equal(await chosen("name", source), "by-name-v1");
    }
    assert.equal(await chosen("none"), "directory");
    assert.equal(await chosen("none", { plugin: { name: "never" } }), "never");
    assert.equal(await chosen("name", { plugin: { name: "by-name-v1" } }), "by-name-v1");
    await assert.rejects(chosen("none", { plugin: {} }), withCode("PLUGIN_MISSING"));
    await assert.rejects(
      chosen("none", { plugin: { name: "by-name-v1" } }),
      /its discovery does not match none/,
    );
    await assert.rejects(
      chosen("none", { plugin: { name: "absent" } }),
      /installed plugins: by-command, by-glob/,
    );
    const names = (await world.server.listPlugins()).map(({ name }) => name);
    assert.deepEqual(names.slice(-4), ["by-command", "by-glob", "by-name-v1", "never"]);
  });

  test(`${kind}: a sidecar that starts, restarts and ends is noticed; its application waits for it`, {
    skip,
  }, async () => {
    const spec = `discover: {fileName: mine}\n${generate("cat a.json")}`;
    await using world = await openRenderWorld(kind, [{ name: "mine", spec }]);
    await world.repository.commit({
      "app/mine": "",
      "app/a.json": manifest("a"),
      "plain/b.json": manifest("b"),
    });
    assert.equal((await world.render({})).plugin, "mine");
    await world.servers[0]?.[Symbol.asyncDispose]();
    await world.repository.commit({ "app/a.json": manifest("changed") });
    await assert.rejects(world.render({}), /mine/);
    assert.equal((await world.render({ path: "plain" })).plugin, "directory");
  });
}

for (const { kind, skip } of kinds)
  test(`${kind}: manifest-generate-paths says what a rendering is kept for, and where asked what the plugin gets`, {
    skip,
  }, async () => {
    const files = {
      "app/a": "1",
      "lib/one.k": "1",
      "lib/two.txt": "1",
      other: "1",
    };
    const manifestGeneratePaths = ".;/lib/*.k";
    const spec = show("cd ..; find . -type f -not -path './.git*' | LC_ALL=C sort");
    for (const given of [undefined, true]) {
      const options = given === undefined ? {} : { pluginUseManifestGeneratePaths: given };
      await using world = await openRenderWorld(kind, [{ name: "files", spec }], options);
      const { repository } = world;
      const render = () => world.render({ plugin: { name: "files" } }, { manifestGeneratePaths });
      await repository.commit(files);
      const all = ["./app/a", "./lib/one.k", "./lib/two.txt", "./other"];
      const wanted = given ? all.slice(0, 2) : all;
      assert.deepEqual(
        textOf(await render())
          .trimEnd()
          .split("\n"),
        wanted,
      );
      await repository.commit({ other: "2", "lib/two.txt": "2" });
      assert.equal((await render()).cache, "hit");
      await repository.commit({ "lib/one.k": "2" });
      assert.equal((await render()).cache, "miss");
      await repository.commit({ "app/b": "new" });
      assert.equal((await render()).cache, "miss");
    }
  });

const { whyNoTrace: noTrace } = await probeIsolation(
  process.env.PATH ?? "",
  realClock,
  AbortSignal.timeout(100_000),
);

test("a plugin that is observed and reads elsewhere is told why that is no key", {
  skip: noTrace ?? false,
}, async () => {
  const elsewhere = import.meta.filename;
  const spec = (script: string) => `inputs: {observe: true}\nisolation: none\n${show(script)}`;
  await using world = await openRenderWorld("Capstan's plugin server", [
    { name: "within", spec: spec("cat a") },
    { name: "without", spec: spec(`cat a ${elsewhere} | head -c 1`) },
  ]);
  const render = (name: string) => world.render({ plugin: { name } });
  const notesOf = async (name: string) =>
    (await world.server.listPlugins()).find((one) => one.name === name)?.notes?.join() ?? "";
  await world.repository.commit({ "app/a": "1", other: "1" });
  for (const name of ["within", "without"]) assert.equal((await render(name)).cache, "miss");
  assert.doesNotMatch(await notesOf("within"), /one state of the repository/);
  assert.ok((await notesOf("without")).includes(`it read ${elsewhere}`), await notesOf("without"));
  await world.repository.commit({ other: "2" });
  assert.equal((await render("within")).cache, "hit");
  assert.equal((await render("without")).cache, "miss");
});

test("of equal names a sidecar is used, and a warning says that the other is not", async () => {
  const [port = 0] = await freePorts(1);
  const service = `kind: ConfigManagementPlugin\nmetadata: {name: twin}\nspec:\n  listenAddress: 127.0.0.1:${port}\n  ${show("echo service")}\n`;
  await using _other = await servePluginsHere(service, { socketName: undefined });
  const endpoints = [{ host: "127.0.0.1", port, process: "p", workload: "w" }];
  await using world = await openRenderWorld(
    "Capstan's plugin server",
    [{ name: "twin", spec: show("echo sidecar") }],
    { pluginServices: () => [{ name: "twins", endpoints }] },
  );
  await world.repository.commit({ "app/a": "1" });
  assert.equal(textOf(await world.render({ plugin: { name: "twin" } })), "sidecar\n");
  const warnings = world.logged.filter(({ message }) => message.includes("has this name"));
  assert.deepEqual(
    warnings.map(({ level, fields }) => [level, fields]),
    [["warn", { plugin: "twin", address: "service twins" }]],
  );
});

test("only a hard refresh runs a plugin anew where nothing has changed", async () => {
  await using world = await openRenderWorld("Capstan's plugin server", [{ name: "p", spec: show("cat a") }]);
  await world.repository.commit({ "app/a": "1" });
  const render = async (noCache: boolean) =>
    (await world.render({ plugin: { name: "p" } }, { noCache })).cache;
  assert.deepEqual([await render(false), await render(false), await render(true)], ["miss", "hit", "miss"]);
});

const megabyte = "0123456789abcdef".repeat(2 ** 16);
/** Both are more than one message; a hundred megabytes in the whole suite. */
const [megabytes, fileMegabytes] = isWhole ? [100, 10] : [20, 10];
for (const { kind, skip } of kinds)
  test(`${kind}: a tree of ${megabytes} MB arrives whole`, { skip }, async () => {
    const count = megabytes / fileMegabytes;
    await using world = await openRenderWorld(kind, [{ name: "sum", spec: show("cat ../big/* | cksum") }]);
    const files = Array.from({ length: count }, (_, index) => [
      `big/${index}.txt`,
      `${index}${megabyte.repeat(fileMegabytes)}`,
    ]);
    await world.repository.commit({ "app/a.txt": "a", ...Object.fromEntries(files) });
    const text = textOf(await world.render({ plugin: { name: "sum" } }));
    assert.equal(Number(text.split(" ")[1]), count * (1 + fileMegabytes * 2 ** 20));
  });

const kpt = join(import.meta.dirname, "..", "..", "..", "shared", "corpus", "argocd-cmp-kpt");
const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
/** Restates the image's cmp-generate, with `capstan kpt` in the place of kpt: rendered, and without what is for kpt itself. */
const kptGenerate = `#!/bin/sh
set -e
kpt() { "${process.execPath}" "${launcher}" kpt "$@"; }
kpt fn render . >&2
kpt fn eval . -o unwrap -i gcr.io/kpt-fn/remove-local-config-resources:v0.1.0
`;

for (const { kind, skip } of kinds) {
  const absent = existsSync(kpt) ? false : "the corpus of public plugins is not beside this checkout";
  test(`${kind}: the plugin argocd-cmp-kpt with its example application, unchanged`, {
    skip: skip || absent,
  }, async () => {
    const yaml = await readFile(join(kpt, "plugin", "plugin.yaml"), "utf8");
    const application = readApplication(load(await readFile(join(kpt, "example", "argo-app.yaml"), "utf8")));
    const folder = "example/kpt-app";
    const names = ["Kptfile", "README.md", "deploy.yaml", "service.yaml", "package-context.yaml"];
    const files = await Promise.all(
      names.map(
        async (name) => [`${folder}/${name}`, await readFile(join(kpt, folder, name), "utf8")] as const,
      ),
    );
    await using scripts = await scriptFolder("cmp-generate", kptGenerate);
    const env = { PATH: `${scripts.path}:${process.env.PATH ?? ""}` };
    await using world = await openRenderWorld(kind, [{ name: "kpt", version: "v1.0", yaml, env }]);
    await world.repository.commit(Object.fromEntries(files));
    const { path = "", plugin: named } = application.spec.source ?? {};
    const { manifests, plugin } = await world.render(named ? { path, plugin: named } : { path });
    assert.equal(plugin, "kpt-v1.0");
    assert.deepEqual(
      manifests.map(({ manifest: { kind: what, metadata } }) => [what, metadata.name, metadata.labels]),
      [
        ["Deployment", "echoserver", { env: "test" }],
        ["Service", "echoserver", { env: "test" }],
      ],
    );
  });
}
