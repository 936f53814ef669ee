import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isRecord } from "@capstan/formats";
import { failsWith, startWorld, TempFolder, type TestRepository } from "@capstan/testkit/render-world";
import { cdk8s } from "./cdk8s.ts";

type Files = Parameters<TestRepository["commit"]>[0];

const versionOf = (folder: string): string => {
  const content: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return isRecord(content) ? String(content.version) : "";
};
const installed = (name: string) => dirname(dirname(fileURLToPath(import.meta.resolve(name))));

/** A registry that has what is installed here, and the files with which npm installs it from there. */
async function startRegistry(folder: string) {
  const asked: string[] = [];
  const archives = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const archive = archives.get(request.url ?? "");
    if (archive) response.end(archive);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const dependencies: Record<string, string> = {};
  const packages: Record<string, object> = {};
  for (const name of ["cdk8s", "constructs"]) {
    const [file, from] = [join(folder, `${name}.tgz`), installed(name)];
    execFileSync("tar", ["-czf", file, "--transform", "s,^\\.,package,", "-C", from, "."]);
    const data = readFileSync(file);
    archives.set(`/${name}.tgz`, data);
    const integrity = `sha512-${createHash("sha512").update(data).digest("base64")}`;
    const version = versionOf(from);
    dependencies[name] = version;
    packages[`node_modules/${name}`] = { version, resolved: `${url}/${name}.tgz`, integrity };
  }
  const manifest = { name: "app", version: "1.0.0", dependencies };
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest, ...packages } };
  return {
    url,
    asked,
    files: { "package.json": JSON.stringify(manifest), "package-lock.json": JSON.stringify(lock) },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A world whose cache is empty, so that what is installed is seen. */
async function openWorld(operator: Record<string, string> = {}, { PATH = process.env.PATH } = {}) {
  const cache = new TempFolder();
  const registry = await startRegistry(cache.path);
  const { HOME } = process.env;
  const env = { PATH, HOME, CAPSTAN_CACHE: join(cache.path, "cache"), GIT_CONFIG_NOSYSTEM: "1" };
  const world = await startWorld({
    plugins: [cdk8s({ HOME, npm_config_registry: registry.url, ...operator })],
    env,
  });
  const commit = (files: Files) => {
    const all = { ...registry.files, ...files };
    world.repository.commit(
      Object.fromEntries(Object.entries(all).map(([name, text]) => [`app/${name}`, text])),
    );
    world.server.forgetRevisions(world.repository.url);
  };
  const render = (noCache = false) => world.render({ path: "app" }, { noCache });
  return {
    ...{ ...world, registry, commit, render },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      registry.close();
      cache[Symbol.dispose]();
    },
  };
}

const typescript = {
  "cdk8s.yaml": "language: typescript\napp: npx ts-node main.ts\n",
  "main.ts": `import { Construct } from 'constructs';
import { App, Chart, ChartProps } from 'cdk8s';
import { KubeConfigMap, Mode } from './imports/k8s';

export class MyChart extends Chart {
  constructor(scope: Construct, id: string, private readonly mode: Mode, props: ChartProps = {}) {
    super(scope, id, props);
    new KubeConfigMap(this, 'settings', { data: { mode: this.mode, who: process.env.ARGOCD_APP_NAME! } });
  }
}

const app = new App();
new MyChart(app, 'web', Mode.FAST, { labels: { tier: 'web' } });
app.synth();
`,
  "imports/k8s.ts": `import { ApiObject, ApiObjectMetadata, GroupVersionKind } from 'cdk8s';
import { Construct } from 'constructs';

export enum Mode { FAST = 'fast', SLOW = 'slow' }

export interface Props { readonly metadata?: ApiObjectMetadata; readonly data?: { [key: string]: string } }

export class KubeConfigMap extends ApiObject {
  public static readonly GVK: GroupVersionKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  public constructor(scope: Construct, id: string, props: Props = {}) {
    super(scope, id, { ...KubeConfigMap.GVK, ...props });
  }
}
`,
};

test("a TypeScript application is installed once for its lock file and run in a process of its own", async () => {
  await using world = await openWorld();
  world.commit(typescript);
  const { manifests, commands, sourceType } = await world.render();
  assert.equal(manifests.length, 1);
  const [{ manifest }] = [manifests[0] ?? assert.fail()];
  assert.equal(manifest.kind, "ConfigMap");
  assert.deepEqual(manifest.data, { mode: "fast", who: "web" });
  assert.deepEqual(manifest.metadata.labels, { tier: "web" });
  assert.deepEqual([commands, sourceType], [["npx ts-node main.ts"], "Plugin"]);
  assert.deepEqual(world.registry.asked.toSorted(), ["/cdk8s.tgz", "/constructs.tgz"]);
  await world.render(true);
  world.commit({ "main.ts": typescript["main.ts"].replace("Mode.FAST", "Mode.SLOW") });
  const changed = await world.render();
  assert.equal(changed.cache, "miss");
  assert.deepEqual(changed.manifests[0]?.manifest.data, { mode: "slow", who: "web" });
  assert.equal(world.registry.asked.length, 2, "nothing is installed again");
});

test("where Capstan was started by npm, the folders that npm names then are not those of a render's npm", async () => {
  const elsewhere = "/proc/nowhere";
  const places = ["cache", "globalconfig", "prefix", "local_prefix", "global_prefix", "nodedir"];
  const operator = Object.fromEntries(places.map((name) => [`npm_config_${name}`, elsewhere]));
  await using world = await openWorld({ ...operator, NPM_CONFIG_CACHE: elsewhere });
  world.commit(typescript);
  assert.equal((await world.render()).manifests.length, 1);
});

test("a JavaScript application, CommonJS or module, by process.exit or not", async () => {
  await using world = await openWorld();
  const body = `const app = new App();
const chart = new Chart(app, "js");
new ApiObject(chart, "one", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
app.synth();
`;
  world.commit({
    "cdk8s.yaml": "language: javascript\napp: node main.js\n",
    "main.js": `const { App, Chart, ApiObject } = require("cdk8s");\n${body}process.exit(0);\n`,
  });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "one");
  world.commit({
    "cdk8s.yaml": "language: javascript\napp: node main.mjs\noutput: manifests\n",
    "main.mjs": `import { App, Chart, ApiObject } from "cdk8s";\n${body.replace("new App()", 'new App({ outdir: "manifests" })')}`,
  });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "one");
});

test("an application that throws names file and line; so does one that does not parse or find a module", async () => {
  await using world = await openWorld();
  const facts = { code: "PLUGIN_FAILED", plugin: "cdk8s" } as const;
  const failing: [string, string, number, RegExp][] = [
    [
      "lib/parts.ts",
      "export interface X { a: string }\n\nexport function part(): X {\n  throw new Error('no part');\n}\n",
      4,
      /no part/,
    ],
    ["lib/parts.ts", "export function part() {\n  return ((;\n}\n", 2, /Unexpected token/],
    ["lib/parts.ts", "import { x } from './gone';\nexport const part = () => x;\n", 1, /gone/],
    [
      "lib/parts.ts",
      "export async function part() {\n  await Promise.resolve();\n  throw new Error('too late');\n}\n",
      3,
      /too late/,
    ],
  ];
  for (const [file, text, line, message] of failing) {
    world.commit({
      "cdk8s.yaml": "language: typescript\napp: npx ts-node main.ts\n",
      "main.ts": "import { part } from './lib/parts';\n\npart();\n",
      [file]: text,
    });
    const place = message.source === "gone" ? {} : { file: `app/${file}`, line };
    await assert.rejects(world.render(), failsWith({ ...facts, ...place }, message));
  }
  world.commit({
    "cdk8s.yaml": "language: typescript\napp: npx ts-node main.ts\n",
    "main.ts": "export {};\n",
  });
  await assert.rejects(world.render(), failsWith(facts, /made no manifests\. Does it call app\.synth\(\)\?/));
  world.commit({ "main.ts": 'import { x } from "not-there";\nx();\n' });
  await assert.rejects(
    world.render(),
    failsWith({ ...facts, file: "app/main.ts" }, /Cannot find module 'not-there'$/),
  );
  world.commit({ "main.ts": undefined });
  await assert.rejects(
    world.render(),
    failsWith({ code: "FILE_MISSING", file: "app/main.ts" }, /but app of app\/cdk8s\.yaml refers to it/),
  );
  world.commit({ "main.ts": "export {};\n" });
  world.commit({ "package-lock.json": undefined });
  await assert.rejects(world.render(), failsWith({ code: "FILE_MISSING", file: "app/package-lock.json" }));
  world.commit({ "cdk8s.yaml": "language: typescript\n" });
  await assert.rejects(
    world.render(),
    failsWith({ code: "MANIFEST_INVALID", file: "app/cdk8s.yaml", field: "app" }),
  );
});

test("an application sees nothing of the machine, and nothing of an earlier run", async () => {
  await using world = await openWorld();
  const look = (code: string) =>
    world.commit({
      "cdk8s.yaml": "language: javascript\napp: node main.js\n",
      "main.js": `const { App, Chart, ApiObject } = require("cdk8s");
const fs = require("fs");
const { join } = require("path");
const seen = (path) => { try { return fs.readdirSync(path).length > 0; } catch { return false; } };
const app = new App();
new ApiObject(new Chart(app, "x"), "x", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { seen: String(${code}) } });
app.synth();
`,
    });
  for (const code of [
    `seen(${JSON.stringify(world.dataDir)})`,
    "globalThis.before === 1 || (globalThis.before = 1, false)",
    "process.env.SECRET_OF_CAPSTAN !== undefined",
  ]) {
    process.env.SECRET_OF_CAPSTAN = "x";
    look(code);
    for (const _ of [1, 2])
      assert.deepEqual((await world.render(true)).manifests[0]?.manifest.data, { seen: "false" });
    delete process.env.SECRET_OF_CAPSTAN;
  }
});

test("where no sandbox works an application is refused, unless the operator lets it run under Node's own limits", async () => {
  using programs = new TempFolder();
  for (const name of ["git", "npm", "node", "sh", "tar"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    symlinkSync(found, join(programs.path, name));
  }
  await using careful = await openWorld({}, { PATH: programs.path });
  careful.commit(typescript);
  await assert.rejects(
    careful.render(),
    failsWith(
      { code: "FAILED_PRECONDITION" },
      /CAPSTAN_UNCONFINED_COMMANDS=true.*every other tenant's files/,
    ),
  );
  await using world = await openWorld({ CAPSTAN_UNCONFINED_COMMANDS: "true" }, { PATH: programs.path });
  world.commit(typescript);
  assert.deepEqual((await world.render()).manifests[0]?.manifest.data, { mode: "fast", who: "web" });
  world.commit({
    "main.ts": `import { readFileSync } from 'fs';\nreadFileSync('${join(world.dataDir, "git", "settings")}');\n`,
  });
  await assert.rejects(
    world.render(),
    failsWith(
      { code: "PLUGIN_FAILED", file: "app/main.ts", line: 2 },
      /Access to this API has been restricted/,
    ),
  );
});

const sandboxProgram = "bwrap";
const hasSandbox = spawnSync(sandboxProgram, ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;

test("in the sandbox cdk8s may start what it needs: files that it includes", {
  skip: !hasSandbox && "bwrap does not work here",
}, async () => {
  await using world = await openWorld();
  world.commit({
    "cdk8s.yaml": "language: javascript\napp: node main.js\n",
    "raw.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: included}\n",
    "main.js":
      'const { App, Chart, Include } = require("cdk8s");\nconst app = new App();\nnew Include(new Chart(app, "x"), "i", { url: "raw.yaml" });\napp.synth();\n',
  });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "included");
});
