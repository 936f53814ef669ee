import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parseSync } from "oxc-parser";

const top = join(import.meta.dirname, "..", "..");
/** Where what belongs to a repository is parsed, unpacked and rendered. Lua is the operator's, of his settings alone; jq has a thread in WebAssembly for what Applications name. Go templates and expressions are of ApplicationSets and settings, with a limit of steps. Of the programs only where their cache lies. The clients of AWS and Google are for notifications, which go out from here. */
const forbidden =
  /^packages\/(render|programs(?!\/src\/cache\.ts)|charts|kustomizations|krm-yaml|sops-files)\/|^plugins\/|^languages\/(?!(lua|jq|go-template|expr)\/)|^processes\/(render-process|local-plugins|plugin-server\/serve-plugins)\.ts$/;

/** What few repositories need: the repo server's start, for which the first application waits, does without. */
const neededByFew =
  /^packages\/(cluster|krm-yaml|sops-files)\/|^languages\/|^plugins\/(kpt\/src\/(functions|gatekeeper)|vault\/src\/backends)\/|^(node:https?|sucrase|yaml|yauzl)$/;

/** Files and packages that are loaded with this one, or later by it; what is imported for its types is not loaded. */
async function importsOf(file: string, when: "at once" | "ever"): Promise<string[]> {
  if (!file.endsWith(".ts")) return [];
  const text = await readFile(join(top, file), "utf8");
  const { module } = parseSync(file, text);
  const names = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest && !isType) names.push(moduleRequest.value);
  for (const { moduleRequest } of when === "ever" ? module.dynamicImports : [])
    names.push(text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""));
  for (const [, worker = ""] of when === "ever" ? text.matchAll(/new Worker\(new URL\("([^"]+)"/g) : [])
    names.push(worker);
  return names.map((name) => fileOf(name, dirname(file)));
}

/** Where packages lie, by their names. */
const folderOf = new Map(
  globSync("{packages,plugins,languages}/*/package.json", { cwd: top }).map((file) => {
    const { name }: { name: string } = JSON.parse(readFileSync(join(top, file), "utf8"));
    return [name, dirname(file)];
  }),
);

function fileOf(name: string, folder: string): string {
  if (name.startsWith(".")) return join(folder, name);
  const [, ofPackage = "", door = "index"] = /^(@capstan\/[^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const at = folderOf.get(ofPackage);
  return at ? join(at, "src", `${door}.ts`) : name;
}

/** All that come with this file, by what brought them. */
async function loadedBy(file: string, when: "at once" | "ever"): Promise<Map<string, string>> {
  const cameFrom = new Map([[file, ""]]);
  for (const one of cameFrom.keys())
    for (const next of await importsOf(one, when)) if (!cameFrom.has(next)) cameFrom.set(next, one);
  return cameFrom;
}

test("the process of up loads nothing that parses, unpacks or renders what is in a repository", async () => {
  const cameFrom = await loadedBy("processes/up/run-up.ts", "ever");
  assert.ok(cameFrom.has("packages/cluster/src/start-cluster.ts"), "the walk reaches the threads");
  const wrong = [...cameFrom].filter(([file]) => forbidden.test(file));
  assert.deepEqual(wrong, []);
});

test("the cluster's thread begins before anything else of Capstan is loaded", async () => {
  const cameFrom = await loadedBy("processes/up/run-up.ts", "at once");
  assert.ok(
    cameFrom.has("packages/cluster/src/thread/start-cluster-thread.ts"),
    "the walk reaches the thread",
  );
  const tooMuch = [...cameFrom].filter(([file]) =>
    /^packages\/(?!cluster\/|cli\/)[^/]+\/src\/index\.ts$|^node_modules\//.test(file),
  );
  assert.deepEqual(tooMuch, []);
});

test("a cluster alone is served without Capstan", async () => {
  const cameFrom = await loadedBy("processes/up/run-system.ts", "at once");
  assert.ok(cameFrom.has("processes/up/page-on-demand.ts"), "the walk reaches the page");
  const tooMuch = [...cameFrom].filter(([file]) =>
    /^packages\/(engine|planning|git-hosts|servers)\/src\/index\.ts$|^(fastify|prom-client|@opentelemetry\/.*)$/.test(
      file,
    ),
  );
  assert.deepEqual(tooMuch, []);
});

test("the process of up starts without what few requests need", async () => {
  const cameFrom = await loadedBy("processes/up/start-control-plane.ts", "at once");
  assert.ok(cameFrom.has("packages/servers/src/create-api-server.ts"), "the walk reaches the listener");
  const tooMuch = [...cameFrom].filter(([file]) => /^(jose|@connectrpc\/.*)$/.test(file));
  assert.deepEqual(tooMuch, []);
});

test("the repo server starts without what few repositories need", async () => {
  const cameFrom = await loadedBy("processes/render-process.ts", "at once");
  assert.ok(cameFrom.size > 200, "the walk reaches the whole");
  const tooMuch = [...cameFrom].filter(([file]) => neededByFew.test(file));
  assert.deepEqual(tooMuch, []);
});

test("a plugin's program begins other programs before it loads what serves, and loads no message of Argo CD's API", async () => {
  const first = await loadedBy("packages/plugin-kit/src/host.ts", "at once");
  const beforeOthers = [...first].filter(
    ([file]) =>
      !/^(node:|packages\/(flow|plugin-kit)\/|packages\/script-thread\/src\/compile-cache\.ts$)/.test(file),
  );
  assert.deepEqual(beforeOthers, []);
  const serving = await loadedBy("packages/plugin-kit/src/hosted-file.ts", "at once");
  assert.ok(serving.has("@grpc/grpc-js"), "the walk reaches the listener");
  const ofApi = /^packages\/wire\/src\/(index|rest\/.*|generated\/(argocd\/v1alpha1_pb|kubernetes\/.*))\.ts$/;
  const tooMuch = [...serving].filter(([file]) => ofApi.test(file));
  assert.deepEqual(tooMuch, []);
});

test("help, completion and kustomize edit load no more than they need, and argocd-vault-plugin the store that is asked", async () => {
  const all = /^packages\/(model|formats|flow|kube|plugin-kit|sops-files)\/src\/index\.ts$/;
  for (const [program, tooMuch] of [
    ["capstan.ts", all],
    ["kustomize.ts", all],
    [
      "argocd-vault-plugin/generate.ts",
      /^packages\/(kube|sops-files|plugin-kit)\/|^plugins\/vault\/src\/backends\//,
    ],
  ] as const) {
    const cameFrom = await loadedBy(`processes/${program}`, "at once");
    assert.deepEqual(
      [...cameFrom].filter(([file]) => tooMuch.test(file)),
      [],
      program,
    );
  }
});

test("the command line starts, and tells of up and of serving plugins, without what these run", async () => {
  const records = ["capstan.ts", "up/command.ts", "plugin-server/command.ts", "kpt/render.ts"];
  for (const record of records) {
    const cameFrom = await loadedBy(`processes/${record}`, "at once");
    const ofPrograms = /^(packages\/(?!(cli|model|flow|formats)\/)|plugins\/|languages\/)/;
    const tooMuch = [...cameFrom].filter(([file]) => ofPrograms.test(file));
    assert.deepEqual(tooMuch, [], record);
  }
});
