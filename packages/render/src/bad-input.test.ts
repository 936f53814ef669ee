import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { configMap, failsWith, noSignal, startWorld, type TestRepository } from "./test-world.ts";

test("an unknown repository is named, with what to check", async () => {
  await using world = await startWorld();
  const url = `file://${world.folder}/nowhere`;
  await assert.rejects(
    world.render({ path: "app", repoURL: url }, { repository: { url } }),
    failsWith(
      { code: "REPOSITORY_MISSING" },
      /there is no repository at file:\/\/.*\/nowhere.*Check the URL/,
    ),
  );
});

test("a host that does not answer is unreachable, and the failure is told again until when", async () => {
  await using world = await startWorld();
  const url = "http://127.0.0.1:9/x.git";
  const render = () => world.render({ path: "app", repoURL: url }, { repository: { url } });
  await assert.rejects(
    render(),
    failsWith({ code: "REPOSITORY_UNREACHABLE", repository: url }, /cannot reach repository/),
  );
  await assert.rejects(
    render(),
    failsWith({ code: "REPOSITORY_UNREACHABLE" }, /cached failure; tried again after \d{4}-/),
  );
});

test("an unknown branch is named", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await assert.rejects(
    world.render({ path: "app", targetRevision: "missing" }),
    failsWith({ code: "REVISION_MISSING", revision: "missing" }, /has no branch, tag or commit "missing"/),
  );
});

test("a commit that is not in the repository is named", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  const targetRevision = "0123456789012345678901234567890123456789";
  await assert.rejects(
    world.render({ path: "app", targetRevision }),
    failsWith({ code: "REVISION_MISSING", revision: targetRevision }),
  );
});

test("a missing path is named with its commit; a path that leads outside and one that is a file are refused", async () => {
  await using world = await startWorld();
  const revision = world.repository.commit({ "app/a.yaml": configMap("a") });
  await assert.rejects(
    world.render({ path: "ap" }),
    failsWith(
      { code: "PATH_MISSING", path: "ap", revision },
      /ap: app path does not exist in file:.* at [0-9a-f]{40}/,
    ),
  );
  await assert.rejects(world.render({ path: "../app" }), failsWith({ code: "PATH_OUTSIDE", path: "../app" }));
  await assert.rejects(world.render({ path: "/app" }), failsWith({ code: "PATH_OUTSIDE", path: "/app" }));
  await assert.rejects(
    world.render({ path: "app/a.yaml" }),
    failsWith({ code: "INVALID_ARGUMENT" }, /is a file/),
  );
});

test("a YAML error names file, document and line", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "app/a.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ok\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [a\n",
  });
  await assert.rejects(
    world.render({ path: "app" }),
    failsWith(
      { code: "YAML_INVALID", file: "app/a.yaml", document: 2 },
      /invalid YAML in app\/a.yaml: document 2, line (9|10)/,
    ),
  );
});

test("a manifest without kind names file, document and line; broken JSON its line", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "a/x.yaml": `${configMap("a")}\n---\napiVersion: v1\nmetadata: {name: b}\n# kind: is missing\n`,
    "b/x.json": '{\n "apiVersion": "v1",\n oops\n}',
  });
  await assert.rejects(
    world.render({ path: "a" }),
    failsWith({ code: "MANIFEST_INVALID", file: "a/x.yaml", document: 2, line: 3, field: "kind" }),
  );
  await assert.rejects(
    world.render({ path: "b" }),
    failsWith({ code: "MANIFEST_INVALID", file: "b/x.json", line: 3 }),
  );
});

test("two tools in one source are both named", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await assert.rejects(
    world.render({ path: "app", helm: {}, kustomize: {} }),
    failsWith(
      { code: "SEVERAL_TOOLS", tools: ["helm", "kustomize"] },
      /several tools: helm, kustomize. Keep one/,
    ),
  );
});

test("an unknown plugin is named with those that are installed", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await assert.rejects(
    world.render({ path: "app", plugin: { name: "mine" } }),
    failsWith({ code: "PLUGIN_MISSING", plugin: "mine" }),
  );
});

test("a helm failure tells command and message without temporary paths, and is told again until when", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "chart/templates/a.yaml": 'name: {{ required "name is required" .Values.name }}\n',
  });
  const expected = failsWith(
    { code: "TOOL_FAILED", tool: "helm", exitCode: 1 },
    /helm template \..*name is required/s,
  );
  await assert.rejects(
    world.render({ path: "chart" }),
    (error) => expected(error) && !/capstan-render/.test(String(error)),
  );
  await assert.rejects(
    world.render({ path: "chart" }),
    failsWith({ code: "TOOL_FAILED" }, /cached failure; tried again after/),
  );
  await assert.rejects(
    world.render({ path: "chart" }, { noCache: true }),
    (error) => !/cached failure/.test(String(error)),
  );
});

test("a kustomize failure tells command and message", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/kustomization.yaml": "resources: [missing.yaml]\n" });
  await assert.rejects(
    world.render({ path: "app" }),
    failsWith({ code: "TOOL_FAILED", tool: "kustomize" }, /kustomize build \.\/app.*missing\.yaml/s),
  );
});

test("a symlink out of the repository is refused, absolute or relative, for every tool that would read it", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "plain/a.yaml": { link: "/etc/passwd" },
    "kustomized/kustomization.yaml": "resources: [a.yaml]\n",
    "kustomized/a.yaml": { link: "../../outside.yaml" },
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "chart/values.yaml": { link: "../../../etc/passwd" },
    app: { link: "../other" },
  });
  await assert.rejects(
    world.render({ path: "plain" }),
    failsWith(
      { code: "SYMLINK_OUTSIDE", file: "plain/a.yaml", target: "/etc/passwd" },
      /outside of the repository/,
    ),
  );
  await assert.rejects(
    world.render({ path: "kustomized" }),
    failsWith({ code: "SYMLINK_OUTSIDE", file: "kustomized/a.yaml" }),
  );
  await assert.rejects(
    world.render({ path: "chart" }),
    failsWith({ code: "SYMLINK_OUTSIDE", file: "chart/values.yaml" }),
  );
  await assert.rejects(world.render({ path: "app" }), failsWith({ code: "SYMLINK_OUTSIDE", file: "app" }));
});

test("a 1 GB file is refused by its size, without being read", async () => {
  await using world = await startWorld();
  commitZeros(world.repository, "app/big.yaml", 2 ** 30);
  await assert.rejects(
    world.render({ path: "app" }),
    failsWith(
      { code: "FILE_TOO_LARGE", file: "app/big.yaml", bytes: 2 ** 30 },
      /has 1 GiB, more than the limit/,
    ),
  );
});

test("a repository that needs a password is refused at once: nothing asks for one", async () => {
  await using world = await startWorld();
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/team/private.git`;
  try {
    await assert.rejects(
      world.server.testRepository({ repository: { url } }, noSignal),
      failsWith({ code: "REPOSITORY_AUTH", repository: url }, /needs other credentials.*capstan repo add/),
    );
    const repository = { url, username: "ada", password: "wrong-password" };
    await assert.rejects(world.server.testRepository({ repository }, noSignal), (error) => {
      return failsWith({ code: "REPOSITORY_AUTH" })(error) && !/wrong-password/.test(String(error));
    });
    assert.ok(asked.includes(`Basic ${Buffer.from("ada:wrong-password").toString("base64")}`));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

/** Commits a file of zeros of any size in no time: as a loose object put together from equal compressed pieces. */
function commitZeros(repository: TestRepository, path: string, bytes: number): void {
  const piece = 2 ** 24;
  const header = Buffer.from(`blob ${bytes}\0`);
  const flush = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const zeros = deflateRawSync(Buffer.alloc(piece), flush);
  // Adler-32: zeros leave the low sum as it is and add it to the high sum once each.
  let [low, high] = [1, 0];
  for (const byte of header) {
    low += byte;
    high += low;
  }
  high = (high + (bytes % 65521) * low) % 65521;
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(high * 65536 + low);
  const pieces = Array.from({ length: bytes / piece }, () => zeros);
  const stream = Buffer.concat([
    Buffer.from([0x78, 0x01]),
    deflateRawSync(header, flush),
    ...pieces,
    deflateRawSync(Buffer.alloc(0)),
    checksum,
  ]);
  const id = zeroBlobId(bytes);
  const folder = join(repository.dir, ".git", "objects", id.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, id.slice(2)), stream);
  repository.git("update-index", "--add", "--cacheinfo", `100644,${id},${path}`);
  repository.git("commit", "--quiet", "-m", "A file of zeros");
}

/** Object ids are SHA-1 over header and content: known for this one, so that a gigabyte need not be hashed here. */
function zeroBlobId(bytes: number): string {
  assert.equal(bytes, 2 ** 30);
  return "4fce05a4e4ed8cefef2d99f32c519b2fd7841b74";
}
