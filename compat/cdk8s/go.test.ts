/** The application of testenv/cdk8s, with the real modules of cdk8s for Go, as cdk8s.yaml says: `go run .` */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { cdk8s } from "@capstan/plugins";
import { type Files, lacking } from "@capstan/testkit";
import { openRenderWorld } from "../renderers/render-world.ts";

const skip = lacking("cdk8s-app");
const folder = join(import.meta.dirname, "..", "..", "testenv", "cdk8s");
const go = (...args: string[]) => execFileSync("go", args, { cwd: folder, encoding: "utf8" }).trim();

async function filesOfApp(): Promise<Record<string, string>> {
  const files: Record<string, string> = { "app/cdk8s.yaml": "language: go\napp: go run .\n" };
  for (const name of ["go.mod", "go.sum", "main.go", "parts/settings.go"])
    files[`app/${name}`] = await readFile(join(folder, name), "utf8");
  return files;
}

/** A world with a cache of its own, and modules that come from this machine's module cache: no network. */
async function openWorld(more: Files = {}, operator: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const cache = await mkdtemp(join(tmpdir(), "capstan-cdk8s-go-"));
  opened.defer(() => rm(cache, { recursive: true, force: true }));
  const { PATH = "", HOME = "" } = process.env;
  const GOPROXY = `file://${go("env", "GOMODCACHE")}/cache/download`;
  const plugins = [cdk8s({ HOME, GOPROXY, CAPSTAN_UNCONFINED_COMMANDS: "true", ...operator })];
  const env = { PATH, HOME, CAPSTAN_CACHE: cache, GIT_CONFIG_NOSYSTEM: "1" };
  const world = opened.use(await openRenderWorld({ ...(await filesOfApp()), ...more }, { plugins, env }));
  const closing = opened.move();
  const commit = async (files: Files) => {
    await world.repository.commit(files);
    world.server.forgetRevisions(world.repository.url);
  };
  const fetches = () => world.logged.filter((line) => JSON.stringify(line).includes("fetching the modules"));
  return {
    ...{ cache, commit, fetches },
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
