import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { constants, crc32, deflateRawSync } from "node:zlib";
import {
  configMap,
  failsWith,
  noSignal,
  startWorld,
  type TestRepository,
} from "@capstan/testkit/render-world";

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

test("a host that takes the connection and says nothing is given up after the time limit, without another try", async () => {
  await using world = await startWorld({ limits: { requestTimeoutMs: 300 } });
  let connections = 0;
  const server = createServer(() => connections++).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  try {
    for (const repository of [{ url: `${base}/x.git` }, { url: `${base}/charts`, type: "helm" as const }])
      await assert.rejects(
        world.server.testRepository({ repository }, noSignal),
        failsWith({ code: "REPOSITORY_UNREACHABLE" }, /no answer within 0\.3 s/),
      );
    // Git may take longer than that to get so far as to ask.
    assert.ok(connections <= 2, `${connections} connections`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
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
  commitZeros(world.repository, "app/big.yaml");
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

/** Object ids are SHA-1 over header and content: known for a gibibyte of zeros, so that it need not be hashed here. */
const zeros = { bytes: 2 ** 30, id: "4fce05a4e4ed8cefef2d99f32c519b2fd7841b74" };

/** Commits a gibibyte of zeros in no time: as a pack put together by hand from equal compressed pieces. */
function commitZeros(repository: TestRepository, path: string): void {
  const object = Buffer.concat([packHeader(3, zeros.bytes), compressedZeros(zeros.bytes, 2 ** 24)]);
  const pack = withDigest(Buffer.concat([Buffer.from("PACK\0\0\0\x02\0\0\0\x01", "latin1"), object]));
  const first = Number.parseInt(zeros.id.slice(0, 2), 16);
  const fanout = Buffer.concat(Array.from({ length: 256 }, (_, byte) => uint32(byte >= first ? 1 : 0)));
  const start = [Buffer.from("\xfftOc\0\0\0\x02", "latin1"), fanout, Buffer.from(zeros.id, "hex")];
  const index = withDigest(Buffer.concat([...start, uint32(crc32(object)), uint32(12), pack.subarray(-20)]));
  const name = join(repository.dir, ".git", "objects", "pack", `pack-${pack.subarray(-20).toString("hex")}`);
  writeFileSync(`${name}.pack`, pack);
  writeFileSync(`${name}.idx`, index);
  repository.git("update-index", "--add", "--cacheinfo", `100644,${zeros.id},${path}`);
  repository.git("commit", "--quiet", "-m", "A file of zeros");
}

function compressedZeros(bytes: number, pieceBytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(pieceBytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const pieces = Array.from({ length: bytes / pieceBytes }, () => piece);
  // Adler-32 of zeros: the low sum stays 1 and is added to the high sum once for each.
  const checksum = uint32((bytes % 65521) * 65536 + 1);
  return Buffer.concat([Buffer.from([0x78, 0x01]), ...pieces, deflateRawSync(Buffer.alloc(0)), checksum]);
}

/** Type and size of an object in a pack: four bits of the size first, then seven at a time. */
function packHeader(type: number, bytes: number): Buffer {
  const header = [type * 16 + (bytes % 16)];
  for (let rest = Math.floor(bytes / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header.push((header.pop() ?? 0) + 128, rest % 128);
  }
  return Buffer.from(header);
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function withDigest(content: Buffer): Buffer {
  return Buffer.concat([content, hash("sha1", content, "buffer")]);
}
