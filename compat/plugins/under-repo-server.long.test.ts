/** Capstan's plugin server in the place of a sidecar under the real Argo CD. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  createGitRepository,
  eventually,
  type GitRepository,
  lackingArgoCD,
  type RealArgoCD,
  sketchApplication,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { startOurPluginServer } from "./our-plugin-server.ts";

const skip = lackingArgoCD();
const limitMs = 300_000;
const sh = (script: string) => `{command: [sh, -c, ${JSON.stringify(script)}]}`;
const seen = (script: string) =>
  sh(
    `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: seen}\\ndata:\\n  out: |\\n'; { ${script}; } | sed 's/^/    /'`,
  );

const plugins: Readonly<Record<string, string>> = {
  whole: `
  version: v1.0
  init: ${sh('echo "$ARGOCD_ENV_WHO" > init.txt')}
  generate: ${seen('cat init.txt; echo "$ARGOCD_APP_NAME $PARAM_TEXT $PARAM_LIST_1 $PARAM_MAP_KEY"; echo "$ARGOCD_APP_PARAMETERS"')}
  preserveFileMode: true
  parameters:
    static: [{name: text, title: Text, string: default, choices: [default, other]}]
    dynamic: ${sh(`echo '[{"name": "made", "collectionType": "array", "array": ["x"]}]'`)}`,
  "by-name": `
  generate: ${seen("echo by-name")}
  discover: {fileName: "marked.txt"}`,
  "by-glob": `
  generate: ${seen("echo by-glob")}
  discover: {find: {glob: "**/globbed.txt"}}`,
  "by-command": `
  generate: ${seen("echo by-command")}
  discover: {find: ${sh("ls commanded.txt 2>/dev/null; true")}}`,
  "bad-init": `
  init: ${sh("echo no luck >&2; exit 3")}
  generate: ${sh("true")}`,
  "bad-generate": `
  generate: ${sh("echo half; echo broken >&2; exit 1")}`,
  empty: `
  generate: ${sh("true")}`,
  list: `
  generate: ${sh("cat list.yaml")}`,
  tree: `
  preserveFileMode: true
  generate: ${seen("find . -mindepth 1 -printf '%p %y %m %l\\n' | LC_ALL=C sort")}`,
  sum: `
  generate: ${seen("cat big/* | sha256sum; ls big | wc -l")}`,
};

const pluginYaml = Object.entries(plugins)
  .map(
    ([name, spec]) =>
      `---\napiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata: {name: ${name}}\nspec:${spec}\n`,
  )
  .join("");

const item = (name: string) => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n`;
const files = {
  "plain/readme": "x",
  "named/marked.txt": "x",
  "globbed/deep/er/globbed.txt": "x",
  "commanded/commanded.txt": "x",
  "list/list.yaml": `apiVersion: v1\nkind: List\nitems:\n${item("one")}${item("two")}`,
  "tree/f": "x",
};

/** A directory of the test's repository, or of another. */
type Place = string | { readonly path: string; readonly repoURL: string };

const opened = new AsyncDisposableStack();
let argo: RealArgoCD;
let create: (name: string, place: Place, plugin?: object) => Promise<void>;
let repository: GitRepository;

before(async () => {
  if (skip) return;
  const cluster = opened.use(await startEmbeddedCluster());
  argo = opened.use(await startArgoCD(cluster));
  const pluginSockets = argo.pluginSockets;
  opened.use(await startOurPluginServer(pluginYaml, { socketName: "whole-v1.0.sock", pluginSockets }));
  repository = opened.use(await createGitRepository());
  await mkdir(join(repository.dir, "tree"));
  await writeFile(join(repository.dir, "tree/run.sh"), "#!/bin/sh\n");
  await chmod(join(repository.dir, "tree/run.sh"), 0o755);
  await symlink("run.sh", join(repository.dir, "tree/link"));
  await repository.commit(files);
  create = async (name, place, plugin) => {
    const source = plugin ? { plugin } : {};
    const { path, repoURL } = typeof place === "string" ? { path: place, repoURL: repository.url } : place;
    const application = sketchApplication({ name, repoURL, path, source, syncPolicy: {} });
    await cluster.kube.create(application, { fieldManager: "test", signal: AbortSignal.timeout(limitMs) });
  };
});

after(() => opened.disposeAsync());

interface Rendered {
  manifests: { data?: { out?: string }; metadata: { name: string } }[];
  error: string;
}

async function ask(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(`${argo.url}${path}`, { ...init, signal: AbortSignal.timeout(limitMs) });
  const value: unknown = await answer.json();
  return isRecord(value) ? value : {};
}

/** What the real API server gets of the real repo-server: the objects, or the failure's text. */
async function askManifests(name: string): Promise<Rendered> {
  // Argo CD's server says "permission denied" of an Application that its watch has not told it of yet.
  const { manifests, message } = await eventually(
    async () => {
      const told = await ask(`/api/v1/applications/${name}/manifests`);
      return told.message === "permission denied" ? undefined : told;
    },
    { signal: AbortSignal.timeout(limitMs), describe: () => `argocd-server does not know ${name}` },
  );
  const texts = Array.isArray(manifests) ? manifests.map(String) : [];
  return {
    manifests: texts.map((text) => JSON.parse(text)),
    error: typeof message === "string" ? message : "",
  };
}

async function render(name: string, place: Place, plugin?: object) {
  await create(name, place, plugin);
  return askManifests(name);
}

async function outOf(name: string, path: string, plugin?: object): Promise<string> {
  const { manifests, error } = await render(name, path, plugin);
  assert.equal(error, "");
  return manifests[0]?.data?.out ?? "";
}

test("a plugin with version, environment and parameters of all types", { skip }, async () => {
  const parameters = [
    { name: "text", string: "t" },
    { name: "list", array: ["a", "b"] },
    { name: "map", map: { key: "v" } },
  ];
  const out = await outOf("whole", "plain", {
    name: "whole-v1.0",
    env: [{ name: "WHO", value: "$ARGOCD_APP_NAME!" }],
    parameters,
  });
  const [init, told, all] = out.split("\n");
  assert.deepEqual([init, told], ["whole!", "whole t b v"]);
  assert.deepEqual(JSON.parse(all ?? ""), parameters);
});

test("its parameters are announced, dynamic ones first", { skip }, async () => {
  await create("announced", "plain", { name: "whole-v1.0" });
  const source = {
    repoURL: repository.url,
    path: "plain",
    targetRevision: "main",
    plugin: { name: "whole-v1.0" },
  };
  const body = JSON.stringify({ source, appName: "announced", appProject: "default" });
  const headers = { "content-type": "application/json" };
  const path = `/api/v1/repositories/${encodeURIComponent(repository.url)}/appdetails`;
  const names = [
    ...JSON.stringify(await ask(path, { method: "POST", body, headers })).matchAll(/"name":"(made|text)"/g),
  ];
  assert.deepEqual(
    names.map(([, name]) => name),
    ["made", "text"],
  );
});

test("its name without the version is not known", { skip }, async () => {
  assert.match(
    (await render("versionless", "plain", { name: "whole" })).error,
    /could not find cmp-server plugin/,
  );
});

for (const [name, path] of [
  ["by-name", "named"],
  ["by-glob", "globbed"],
  ["by-command", "commanded"],
] as const) {
  test(`discovery ${name} finds its source, named and unnamed`, { skip }, async () => {
    assert.equal(await outOf(`${name}-named`, path, { name }), `${name}\n`);
    assert.equal(await outOf(`${name}-unnamed`, path), `${name}\n`);
  });
  test(`discovery ${name} does not accept another source`, { skip }, async () => {
    assert.match((await render(`${name}-not`, "plain", { name })).error, /could not find cmp-server plugin/);
  });
}

test("failures say what was said", { skip }, async () => {
  assert.match(
    (await render("bad-init", "plain", { name: "bad-init" })).error,
    /sh -c .* failed exit status 3: no luck/,
  );
  assert.match(
    (await render("bad-generate", "plain", { name: "bad-generate" })).error,
    /failed exit status 1: broken/,
  );
});

test("nothing is nothing, and a List its items", { skip }, async () => {
  assert.deepEqual(await render("empty", "plain", { name: "empty" }), { manifests: [], error: "" });
  const { manifests } = await render("list", "list", { name: "list" });
  assert.deepEqual(
    manifests.map(({ metadata }) => metadata.name),
    ["one", "two"],
  );
});

test("links and modes arrive", { skip }, async () => {
  assert.equal(
    await outOf("tree", "tree", { name: "tree" }),
    "./f f 644 \n./link l 777 run.sh\n./run.sh f 755 \n",
  );
});

// 100 MB come to both plugin servers in sidecars.long.test.ts; this is about how the real repo server sends a tree.
for (const [megabytes, each] of [
  [3, 1],
  [24, 2],
] as const)
  test(`a tree of ${megabytes} MB arrives`, { skip }, async () => {
    // A repository of its own: Argo CD keeps for minutes which commit a branch of the other is at.
    await using large = await createGitRepository();
    await mkdir(join(large.dir, "large/big"), { recursive: true });
    const count = Math.ceil(megabytes / each);
    for (let index = 0; index < count; index++)
      await writeFile(join(large.dir, "large/big", `${index}`), randomBytes(each * 2 ** 20));
    await large.commit({});
    const place = { path: "large", repoURL: large.url };
    const { manifests, error } = await render(`large-${megabytes}`, place, { name: "sum" });
    assert.equal(error, "");
    assert.match(manifests[0]?.data?.out ?? "", new RegExp(`^[0-9a-f]{64} {2}-\\n${count}\\n$`));
  });
