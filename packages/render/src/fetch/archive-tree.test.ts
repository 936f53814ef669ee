import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { failsWith } from "@capstan/testkit/render-world";
import { type Headers, pack } from "tar-stream";
import { ArchiveTree } from "./archive-tree.ts";

type Entry = Partial<Headers> & { name: string; content?: string };

async function archiveOf(entries: Iterable<Entry>): Promise<Buffer> {
  const packed = pack();
  for (const { content = "", ...header } of entries) packed.entry(header, content);
  packed.finalize();
  return gzipSync(await buffer(packed));
}

const limits = { maxBytes: 2 ** 20, maxFiles: 100, isChart: false, what: "chart x" };
const read = async (entries: Iterable<Entry>) => ArchiveTree.read(await archiveOf(entries), "1", limits);

function* many(entry: (at: number) => Entry): Generator<Entry> {
  for (let at = 0; at < 200; at++) yield entry(at);
}

test("entries of every kind count, however little they hold", async () => {
  const tooMany = failsWith(
    { code: "FAILED_PRECONDITION", what: "chart x" },
    /more than 100 files and directories/,
  );
  await assert.rejects(read(many((at) => ({ name: `${at}` }))), tooMany);
  await assert.rejects(read(many((at) => ({ name: `${at}/`, type: "directory" }))), tooMany);
  await assert.rejects(read(many(() => ({ name: "same" }))), tooMany);
  await assert.rejects(read(many((at) => ({ name: `${at}`, type: "symlink", linkname: "x" }))), tooMany);
  await assert.rejects(read(many((at) => ({ name: `${at}`, type: "character-device" }))), tooMany);
});

test("bytes count as they come out, whatever the archive's own size", async () => {
  const zeros = "\0".repeat(2 ** 21);
  await assert.rejects(read([{ name: "zeros", content: zeros }]), failsWith({ code: "TREE_TOO_LARGE" }));
  const tail = gzipSync(Buffer.alloc(2 ** 23));
  await assert.rejects(ArchiveTree.read(tail, "1", limits), failsWith({}, /limit|header/));
});

test("names that are too long, too deep or no names are refused, and headers that hold megabytes", async () => {
  const wrong = failsWith({ code: "FAILED_PRECONDITION", what: "chart x" });
  await assert.rejects(read([{ name: "x".repeat(300) }]), wrong);
  await assert.rejects(read([{ name: `${"d/".repeat(200)}x` }]), wrong);
  await assert.rejects(read([{ name: `${"é".repeat(100)}/`.repeat(12_000) }]), wrong);
  await assert.rejects(read([{ name: "../x" }]), failsWith({ code: "PATH_OUTSIDE" }));
  await assert.rejects(read([{ name: "/x" }]), failsWith({ code: "PATH_OUTSIDE" }));
  await assert.rejects(
    read([{ name: "a" }, { name: "a/b" }]),
    failsWith({ code: "FAILED_PRECONDITION", what: "a" }),
  );
});

test("hard links are second names, devices and what git would take for its own are left out", async () => {
  const tree = await read([
    { name: "a", content: "text" },
    { name: "b", type: "link", linkname: "a" },
    { name: ".git/config", content: "[core]" },
    { name: "sub/.GIT/config", content: "[core]" },
    { name: "null", type: "character-device" },
    { name: "pipe", type: "fifo" },
  ]);
  assert.deepEqual(
    (await tree.list("")).map(({ name }) => name),
    ["a", "b"],
  );
  const entry = await tree.entry("b");
  assert.equal(entry && (await tree.read(entry)).toString(), "text");
  await assert.rejects(
    read([{ name: "b", type: "link", linkname: "/etc/passwd" }]),
    failsWith({ what: "b" }),
  );
});
