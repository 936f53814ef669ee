import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { createStaticFiles } from "./static-files.ts";

const script = `export const words = ${JSON.stringify("a word ".repeat(1_000))};`;

async function pageFolder() {
  const folder = await mkdtempDisposable(join(tmpdir(), "capstan-static-"));
  await mkdir(join(folder.path, "assets"));
  await writeFile(join(folder.path, "assets", "built.js"), script);
  await writeFile(join(folder.path, "assets", "built.js.br"), brotliCompressSync(script));
  await writeFile(join(folder.path, "assets", "plain.js"), script);
  return folder;
}

test("what the build has compressed is sent as it is, to who takes it", async () => {
  await using folder = await pageFolder();
  const files = createStaticFiles(folder.path, { base: "" });
  const dense = await files.answer("/assets/built.js", { "accept-encoding": "gzip, br" });
  assert.equal(dense?.headers["content-encoding"], "br");
  assert.deepEqual(dense.body, brotliCompressSync(script));
  const other = await files.answer("/assets/built.js", {});
  assert.equal(other?.headers["content-encoding"], undefined);
  assert.equal(String(other?.body), script);
  assert.equal(other?.headers.etag, dense.headers.etag);
  assert.equal(await files.answer("/assets/built.js.br", { "accept-encoding": "br" }), undefined);
});

test("what the build has not compressed is compressed for who takes it", async () => {
  await using folder = await pageFolder();
  const files = createStaticFiles(folder.path, { base: "" });
  const { headers, body } = (await files.answer("/assets/plain.js", { "accept-encoding": "br" })) ?? {};
  assert.equal(headers?.["content-encoding"], "br");
  assert.equal(String(brotliDecompressSync(body ?? Buffer.alloc(0))), script);
});
