import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { UnpackCount } from "@capstan/plugin-kit";
import { type Headers, pack } from "tar-stream";
import { unpackLayer } from "./unpack-layer.ts";

type Entry = Partial<Headers> & { name: string; content?: string };

const top = await mkdtemp(join(tmpdir(), "capstan-layers-"));
after(() => rm(top, { recursive: true, force: true }));
await writeFile(join(top, "secret"), "of the machine");

async function layerOf(...entries: readonly Entry[]): Promise<Buffer> {
  const packed = pack();
  for (const { content = "", ...header } of entries) packed.entry(header, content);
  packed.finalize();
  return buffer(packed);
}

const atMost = (maxBytes: number, maxEntries: number) =>
  new UnpackCount({ maxBytes, maxEntries, what: "image x" });
const plenty = () => atMost(1_000_000, 1_000);
const tar = "application/vnd.oci.image.layer.v1.tar";

async function unpack(layers: readonly (readonly Entry[])[], count = plenty()) {
  const root = await mkdtemp(join(top, "root-"));
  for (const entries of layers)
    await unpackLayer(root, { content: await layerOf(...entries), mediaType: tar }, count);
  return root;
}

const names = async (root: string) => (await readdir(root, { recursive: true })).sort();

test("later layers lie over earlier ones", async () => {
  const root = await unpack([
    [
      { name: "./bin/", type: "directory" },
      { name: "bin/fn", content: "one", mode: 0o4755 },
      { name: "etc/a", content: "a" },
    ],
    [{ name: "/bin/fn", content: "two", mode: 0o644 }],
  ]);
  assert.deepEqual(await names(root), ["bin", "bin/fn", "etc", "etc/a"]);
  assert.equal(await readFile(join(root, "bin/fn"), "utf8"), "two");
  assert.equal((await stat(join(root, "bin/fn"))).mode & 0o7777, 0o644);
});

test("bits beyond those of reading and running are dropped", async () => {
  const root = await unpack([[{ name: "fn", content: "x", mode: 0o6711 }]]);
  assert.equal((await stat(join(root, "fn"))).mode & 0o7777, 0o755);
});

test("whiteouts remove one name, or all of a directory that is not of the same layer", async () => {
  const root = await unpack([
    [
      { name: "a/one", content: "1" },
      { name: "a/two", content: "2" },
      { name: "b/one", content: "1" },
      { name: "b/deep/two", content: "2" },
    ],
    [
      { name: "a/.wh.one" },
      { name: "b/new", content: "3" },
      { name: "b/.wh..wh..opq" },
      { name: "b/newer", content: "4" },
    ],
  ]);
  assert.deepEqual(await names(root), ["a", "a/two", "b", "b/new", "b/newer"]);
});

test("links lead to where they do with the image as the root", async () => {
  const root = await unpack([
    [
      { name: "usr/lib/", type: "directory" },
      { name: "lib", type: "symlink", linkname: "/usr/lib" },
      { name: "up", type: "symlink", linkname: "../../../usr" },
    ],
    [
      { name: "lib/one", content: "1" },
      { name: "up/two", content: "2" },
      { name: "three", type: "link", linkname: "lib/one" },
    ],
  ]);
  assert.equal(await readFile(join(root, "usr/lib/one"), "utf8"), "1");
  assert.equal(await readFile(join(root, "usr/two"), "utf8"), "2");
  assert.equal(await readFile(join(root, "three"), "utf8"), "1");
  assert.equal(await readlink(join(root, "lib")), "/usr/lib");
});

test("nothing is written, linked or removed outside of the image", async () => {
  const secret = join(top, "secret");
  const outside = [
    { name: "out", type: "symlink" as const, linkname: top },
    { name: "file", type: "symlink" as const, linkname: secret },
  ];
  await unpack([outside, [{ name: "out/secret", content: "overwritten" }]]);
  await unpack([outside, [{ name: "file", content: "overwritten" }]]);
  await unpack([outside, [{ name: "out/.wh.secret" }]]);
  await unpack([outside, [{ name: "out/.wh..wh..opq" }]]);
  assert.equal(await readFile(secret, "utf8"), "of the machine");
  await assert.rejects(
    unpack([outside, [{ name: "x", type: "link", linkname: "file" }]]),
    /no file of the image/,
  );
  await assert.rejects(unpack([[{ name: "x", type: "link", linkname: secret }]]), /no file of the image/);
  await assert.rejects(unpack([[{ name: "../x", content: "x" }]]), /leads out of the image/);
  await assert.rejects(unpack([[{ name: ".wh...", content: "x" }]]), /leads out of the image/);
});

test("links in a circle are refused", async () => {
  const circle = [
    { name: "a", type: "symlink" as const, linkname: "b" },
    { name: "b", type: "symlink" as const, linkname: "a" },
  ];
  await assert.rejects(unpack([circle, [{ name: "a/x", content: "x" }]]), /lead in circles/);
});

test("what unpacks to too much, or to too many files, is refused", async () => {
  const big = { name: "big", content: "x".repeat(1_000) };
  await assert.rejects(unpack([[big]], atMost(999, 10)), /more than the limit of 999/);
  await assert.rejects(
    unpack([[big, { name: "b" }]], atMost(5_000, 1)),
    /image x: it has more than 1 files and directories/,
  );
});

test("devices are left out", async () => {
  const root = await unpack([
    [
      { name: "null", type: "character-device" },
      { name: "a", content: "a" },
    ],
  ]);
  assert.deepEqual(await names(root), ["a"]);
});

test("gzip and zstd", async () => {
  const root = await mkdtemp(join(top, "root-"));
  const [one, two] = [await layerOf({ name: "one" }), await layerOf({ name: "two" })];
  await unpackLayer(root, { content: gzipSync(one), mediaType: `${tar}+gzip` }, plenty());
  await unpackLayer(root, { content: zstdCompressSync(two), mediaType: `${tar}+zstd` }, plenty());
  assert.deepEqual(await names(root), ["one", "two"]);
});
