import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { createGzip } from "node:zlib";
import { isRecord } from "@capstan/formats";
import { configMapText, createGitRepository, type GitRepository, sketchApplication } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { apiMethods, jsonOfMessage, messageOfJson } from "@capstan/wire/rpc";
import { Code, ConnectError } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { type Headers, pack } from "tar-stream";

const limit = () => AbortSignal.timeout(100_000);
const path = "/api/v1/applications/manifestsWithFiles";
const app = "shop";

type Entry = readonly [name: string, content: string | Buffer, header?: Partial<Headers>];

async function packed(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [name, content, header] of entries) archive.entry({ name, ...header }, content);
  archive.finalize();
  return buffer(archive.pipe(createGzip()));
}

const sum = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("files in place of a repository", () => {
  let api: ApiWorld;
  let git: GitRepository;

  before(async () => {
    git = await createGitRepository({ "web/config.yaml": configMapText("greeting", "committed") });
    api = await openApiWorld();
    await api.world.kube.create(sketchApplication({ name: app, repoURL: git.url, path: "web" }), {
      signal: limit(),
    });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  async function send(archive: Buffer, more: object = {}) {
    const files = archive.toString("base64");
    const { status, body } = await api.request("POST", path, {
      body: { name: app, checksum: sum(archive), files, ...more },
    });
    return { status, text: JSON.stringify(body), body };
  }

  const manifestsOf = (body: unknown): string[] =>
    isRecord(body) && Array.isArray(body.manifests) ? body.manifests.map(String) : [];

  test("what they render to is answered, marked as the application's", async () => {
    const archive = await packed([["web/config.yaml", configMapText("greeting", "sent")]]);
    const { status, body, text } = await send(archive);
    assert.equal(status, 200, text);
    const [manifest = "", ...others] = manifestsOf(body);
    assert.equal(others.length, 0);
    assert.match(manifest, /"key":"sent"/);
    assert.match(manifest, /"argocd.argoproj.io\/tracking-id":"shop:\/ConfigMap:/);
  });

  test("over gRPC they come in pieces", async () => {
    const archive = await packed([["web/config.yaml", configMapText("greeting", "in pieces")]]);
    const method = apiMethods.get("application.ApplicationService/GetManifestsWithFiles");
    assert.ok(method);
    const ask = async (pieces: readonly Buffer[]) => {
      const messages = (async function* () {
        yield messageOfJson(method.input, { query: { name: app, checksum: sum(archive) } });
        for (const piece of pieces)
          yield messageOfJson(method.input, { chunk: { chunk: piece.toString("base64") } });
      })();
      const transport = createGrpcTransport({ baseUrl: api.url });
      const headers = { token: api.token };
      const stream = method as typeof method & { methodKind: "client_streaming" };
      const answer = await transport.stream(stream, limit(), undefined, headers, messages as never);
      const [found] = await Array.fromAsync(answer.message);
      assert.ok(found);
      return jsonOfMessage(method.output, found);
    };
    const half = archive.length >> 1;
    const [manifest = ""] = manifestsOf(await ask([archive.subarray(0, half), archive.subarray(half)]));
    assert.match(manifest, /"key":"in pieces"/);
    const isInvalid = (error: unknown) =>
      error instanceof ConnectError &&
      error.code === Code.InvalidArgument &&
      /checksum|larger/.test(error.message);
    await assert.rejects(ask([archive.subarray(0, half)]), isInvalid);
    await assert.rejects(ask(new Array(7).fill(Buffer.alloc(2 ** 20))), isInvalid);
  });

  test("a file that is what git hashes is not taken for what is committed", async () => {
    const committed = configMapText("greeting", "committed");
    const before = await api.request("GET", `/api/v1/applications/${app}/manifests`);
    assert.match(JSON.stringify(before.body), /committed/);
    const forged = await packed([["web/config.yaml", `blob ${committed.length}\0${committed}`]]);
    const { status } = await send(forged);
    assert.notEqual(status, 200);
    const later = await api.request("GET", `/api/v1/applications/${app}/manifests`);
    assert.deepEqual(later.body, before.body);
  });

  test("what is no such archive is refused in words", async () => {
    const good = await packed([["web/config.yaml", configMapText("greeting", "sent")]]);
    const zeros = await packed([["web/large.yaml", Buffer.alloc(70 * 2 ** 20)]]);
    for (const [archive, more, says] of [
      [good, { checksum: "00" }, /checksum: is not the SHA-256/],
      [Buffer.from("hello"), {}, /files: is no tar packed with gzip/],
      [zeros, {}, /sent archive|large/],
      [await packed([["../web/config.yaml", "a: b"]]), {}, /web\/config.yaml/],
      [await packed([["other/config.yaml", "a: b"]]), {}, /path|web/],
      [await packed([["web", "", { type: "symlink", linkname: "/etc" }]]), {}, /web/],
    ] as const) {
      const { status, text } = await send(archive, more);
      assert.ok(status >= 400 && status < 500, `${status} ${text}`);
      assert.match(text, says);
    }
  });
});
