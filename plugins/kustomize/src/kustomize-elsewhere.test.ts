import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { configMap, failsWith, startWorld, TestRepository } from "@capstan/testkit/render-world";

let world: Awaited<ReturnType<typeof startWorld>>;
let origin: string;
const asked: string[] = [];
/** Repositories by git's dumb protocol, and files. */
const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  asked.push(path);
  if (path.startsWith("/leads/")) {
    response.writeHead(302, { location: path.replace("/leads", "/files") }).end();
    return;
  }
  const file = createReadStream(join(world.folder, "served", path));
  file.on("error", () => response.writeHead(404).end());
  file.pipe(response);
});

function serve(name: string, files: Record<string, string>): void {
  const repository = new TestRepository(join(world.folder, "served"), name);
  repository.commit(files);
  repository.git("update-server-info");
}

const build = async (sourceRepos: readonly string[]) => {
  const answer = await world.render(
    { path: "app" },
    { sourceRepos: [...sourceRepos], noCache: true, noRevisionCache: true },
  );
  return answer.manifests.map(({ manifest }) => manifest);
};

before(async () => {
  world = await startWorld();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  serve("open", {
    "base/kustomization.yaml": `resources: [one.yaml, "${origin}/nested/.git//base?ref=main", ../beside]\nnamePrefix: a-\n`,
    "base/one.yaml": configMap("one"),
    "beside/kustomization.yaml": `configMapGenerator: [{name: text, files: ["${origin}/files/three.yaml"]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n`,
  });
  serve("nested", {
    "base/kustomization.yaml": "resources: [two.yaml]\nnamePrefix: b-\n",
    "base/two.yaml": configMap("two"),
  });
  serve("files", { "three.yaml": configMap("three"), "patch.yaml": configMap("three", { is: "patched" }) });
});

after(async () => {
  server.close();
  server.closeAllConnections();
  await world[Symbol.asyncDispose]();
});

test("bases elsewhere, what they name in turn, and files elsewhere are built; kustomize asks for nothing itself", async () => {
  world.repository.commit({
    "app/kustomization.yaml": `resources: ["${origin}/open/.git//base?ref=main", "${origin}/leads/three.yaml"]\npatches: [{path: "${origin}/files/patch.yaml"}]\n`,
  });
  const made = await build([`${origin}/**`]);
  const shown = made.map(({ metadata, data }) => [metadata.name, Object.keys(data ?? {})]);
  assert.deepEqual(shown.sort(), [
    ["a-b-two", []],
    ["a-one", []],
    ["a-text", ["three.yaml"]],
    ["three", ["is"]],
  ]);
});

test("a base of a base, and its files, are asked of the project", async () => {
  const rest = [`${origin}/open/.git`, `${origin}/leads/*`, `${origin}/files/*`];
  asked.length = 0;
  await assert.rejects(build(rest), failsWith({ code: "SOURCE_FORBIDDEN" }, /nested/));
  assert.deepEqual(
    asked.filter((path) => path.startsWith("/nested")),
    [],
  );
  await assert.rejects(
    build([`${origin}/open/.git`, `${origin}/nested/.git`]),
    failsWith({ code: "SOURCE_FORBIDDEN" }, /files/),
  );
});

test("what a generator's configuration names elsewhere is asked for by nobody", async () => {
  world.repository.commit({
    "app/kustomization.yaml": "generators: [generator.yaml]\n",
    "app/generator.yaml": `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nfiles: ["${origin}/files/three.yaml"]\n`,
  });
  asked.length = 0;
  await assert.rejects(build([`${origin}/**`]), failsWith({ code: "TOOL_FAILED" }));
  assert.deepEqual(asked, []);
});

test("a folder of this machine, and an address that could be two, are no bases", async () => {
  for (const base of [`file://${world.folder}/served/open//base`, `${origin}/open/../nested/.git//base`]) {
    world.repository.commit({ "app/kustomization.yaml": `resources: ["${base}"]\n` });
    await assert.rejects(
      build(["**", "*"]),
      failsWith({ code: "INVALID_ARGUMENT" }, /could mean several places/),
    );
  }
});
