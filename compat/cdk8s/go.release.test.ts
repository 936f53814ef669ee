/** The application of testenv/cdk8s, with the real modules of cdk8s for Go, as cdk8s.yaml says: `go run .` */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cdk8s } from "@capstan/plugin-cdk8s";
import { type Files, lacking } from "@capstan/testkit";
import { openRenderWorld } from "../renderers/render-world.ts";

const sandboxProgram = "bwrap";
const hasSandbox = spawnSync(sandboxProgram, ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;
const skip = lacking("cdk8s-app");
const folder = join(import.meta.dirname, "..", "..", "testenv", "cdk8s");
const go = (...args: string[]) => execFileSync("go", args, { cwd: folder, encoding: "utf8" }).trim();

async function filesOfApp(): Promise<Record<string, string>> {
  const files: Record<string, string> = { "app/cdk8s.yaml": "language: go\napp: go run .\n" };
  for (const name of ["go.mod", "go.sum", "main.go", "parts/settings.go"])
    files[`app/${name}`] = await readFile(join(folder, name), "utf8");
  return files;
}

/** Of all worlds here: the first compiles what the others take from it. */
const cache = await mkdtemp(join(tmpdir(), "capstan-cdk8s-go-"));
after(() => rm(cache, { recursive: true, force: true }));

/** Modules come from this machine's module cache: no network. */
async function openWorld(more: Files = {}, operator: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const { PATH = "", HOME = "" } = process.env;
  const GOPROXY = `file://${go("env", "GOMODCACHE")}/cache/download`;
  const plugins = [cdk8s({ HOME, GOPROXY, CAPSTAN_UNCONFINED_COMMANDS: "true", ...operator })];
  const env = { PATH, HOME, CAPSTAN_CACHE: cache, GIT_CONFIG_NOSYSTEM: "1" };
  // Go compiles all of cdk8s once, which takes a busy machine longer than a render may take.
  const options = { plugins, env, limits: { renderTimeoutMs: 600_000 } };
  const world = opened.use(await openRenderWorld({ ...(await filesOfApp()), ...more }, options));
  const closing = opened.move();
  const commit = async (files: Files) => {
    await world.repository.commit(files);
    world.server.forgetRevisions(world.repository.url);
  };
  const fetches = () => world.logged.filter((line) => JSON.stringify(line).includes("fetching the modules"));
  return {
    ...{ commit, fetches },
    render: (noCache = false) => world.render({ path: "app" }, { noCache }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

before(() => {
  if (!skip) go("mod", "download");
});

test("an application in Go: modules are fetched once, packages compiled once, and a panic names file and line", {
  skip,
}, async () => {
  await using world = await openWorld();
  const { manifests, commands, sourceType } = await world.render();
  const [manifest] = manifests.map((one) => one.manifest);
  assert.equal(manifest?.kind, "ConfigMap");
  assert.deepEqual(manifest.data, { who: "web" });
  assert.deepEqual(manifest.metadata.labels, { tier: "web" });
  assert.deepEqual([commands, sourceType], [["go run ."], "Plugin"]);
  assert.equal((await world.render()).cache, "hit");
  await world.render(true);
  await world.commit({ "app/README.md": "x" });
  assert.equal((await world.render()).cache, "miss");
  assert.equal(world.fetches().length, 1, "modules are fetched for a go.sum, not for a commit");

  const parts = (body: string) => `package parts

import "github.com/aws/constructs-go/constructs/v10"

func Settings(scope constructs.Construct, who string) {
${body}
}
`;
  const failing: [string, RegExp][] = [
    ['\tpanic("no part for " + who)', /settings\.go: line 6: no part for web/],
    ["\tvar none *string\n\t_ = *none", /settings\.go: line 7: runtime error: invalid memory address/],
    ["\tscope.Node().AddDependency(gone)", /settings\.go: line 6: undefined: gone/],
    ["\tscope.Node().FindChild(&who)", /settings\.go: line 6: .*No child with id: 'web'/],
  ];
  for (const [body, message] of failing) {
    await world.commit({ "app/parts/settings.go": parts(body) });
    await assert.rejects(world.render(), message);
  }
});

const plainApp = (body: string) => `package main

import "os"

func main() {
${body}
}
`;
const manifest = "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: plain}\\n";
const writes = `\tos.MkdirAll(os.Getenv("CDK8S_OUTDIR"), 0o755)
\tos.WriteFile(os.Getenv("CDK8S_OUTDIR")+"/x.yaml", []byte("${manifest}"), 0o644)`;

async function openPlainWorld(files: Files, operator?: Record<string, string>) {
  const plain = { "app/go.mod": "module example.com/plain\n\ngo 1.21\n", "app/go.sum": undefined };
  return openWorld({ ...plain, "app/parts/settings.go": undefined, ...files }, operator);
}

test("an application brings its modules in vendor where no proxy of modules is", { skip }, async () => {
  const modules = {
    "app/go.mod": "module example.com/plain\n\ngo 1.21\n\nrequire example.com/parts v1.0.0\n",
    "app/main.go": plainApp(`\tparts.Write()`).replace('"os"', '"example.com/parts"'),
  };
  const none = { GOPROXY: "http://127.0.0.1:9/modules" };
  await using lacks = await openPlainWorld(modules, none);
  await assert.rejects(lacks.render(), /app\/go\.sum.*go mod tidy/);
  const sums = [
    "example.com/parts v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "example.com/parts v1.0.0/go.mod h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  ];
  await lacks.commit({ "app/go.sum": `${sums.join("\n")}\n` });
  await assert.rejects(
    lacks.render(),
    /go mod download failed .*http:\/\/127\.0\.0\.1:9\/modules\/example\.com\/parts/s,
  );
  await lacks.commit({
    "app/vendor/modules.txt": "# example.com/parts v1.0.0\n## explicit; go 1.21\nexample.com/parts\n",
    "app/vendor/example.com/parts/parts.go": plainApp(writes)
      .replace("package main", "package parts")
      .replace("func main", "func Write"),
  });
  assert.equal((await lacks.render()).manifests[0]?.manifest.metadata.name, "plain");
});

test("an application changes nothing that another one is compiled from", {
  skip: skip || (!hasSandbox && "bwrap does not work here"),
}, async () => {
  await using world = await openPlainWorld({ "app/main.go": plainApp(writes) });
  await world.render();
  const folder = join(cache, "cdk8s");
  const looks = `\tif _, err := os.ReadDir("${folder}/go"); err == nil {\n\t\tpanic("seen")\n\t}\n${writes}`;
  await world.commit({ "app/main.go": plainApp(looks) });
  assert.equal((await world.render()).manifests[0]?.manifest.metadata.name, "plain");
  await world.commit({
    "app/main.go": plainApp(`\tpanic("[" + os.Getenv("GOCACHE") + os.Getenv("GOPROXY") + "]")`),
  });
  await assert.rejects(world.render(), /main\.go: line 6: \[\]$/);
});
