import assert from "node:assert/strict";
import { test } from "node:test";
import { type Headers, pack } from "tar-stream";
import { CopiedFiles } from "./copied-files.ts";
import { filesOf } from "./files-of.ts";
import { runTar } from "./tar.ts";

const container = { name: "main", image: "x" };
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers: [container] } };
const objects = { get: () => undefined, list: () => [] } as never;

function worldOf(copied = new CopiedFiles()) {
  const inside = () => filesOf(objects, { pod, container, copies: copied.of("life") });
  return { inside, around: { files: inside(), variables: new Map(), folder: "/tmp", now: () => 0 } };
}

async function archiveOf(members: readonly (Partial<Headers> & { name: string; text?: string })[]) {
  const archive = pack();
  for (const { text = "", ...header } of members) archive.entry(header, text);
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive));
}

async function unpack(bytes: AsyncIterable<Uint8Array> | Buffer, world = worldOf()) {
  let err = "";
  const code = await runTar(["-xmf", "-", "-C", "/tmp"], world.around, {
    input: Buffer.isBuffer(bytes)
      ? (async function* () {
          yield bytes;
        })()
      : bytes,
    out: () => undefined,
    err: (text) => {
      err += text;
    },
    signal: new AbortController().signal,
  });
  return { code, err, files: world.inside() };
}

test("what climbs, what is a link and what would lie in a file stay out, the rest is kept", async () => {
  const { code, err, files } = await unpack(
    await archiveOf([
      { name: "a", text: "1" },
      { name: "../../../../etc/hostname", text: "2" },
      { name: "a/b", text: "3" },
      { name: "link", type: "symlink", linkname: "/etc" },
      { name: "far/down/c", text: "4" },
    ]),
  );
  assert.equal(code, 2);
  assert.match(
    err,
    /etc\/hostname: Read-only file system\n.*a\/b: Not a directory\n.*link: left out: .*symlink/,
  );
  assert.equal(files.read("/tmp/a")?.toString(), "1");
  assert.equal(files.read("/etc/hostname")?.toString(), "web\n");
  assert.equal(files.read("/tmp/far/down/c")?.toString(), "4");
  assert.deepEqual(files.list("/tmp"), ["a", "far"]);
});

test("many small files and deep paths have their price: no more than what there is room for is kept", async () => {
  const small = Array.from({ length: 12_000 }, (_, index) => ({ name: `${index}` }));
  const { code, err, files } = await unpack(await archiveOf(small));
  assert.equal(code, 2);
  assert.equal(err.match(/No space left on device/g)?.length, 1);
  assert.ok((files.list("/tmp")?.length ?? 0) < 11_000);
  const deep = Array.from({ length: 200 }, (_, index) => ({ name: `${"d/".repeat(1_900)}${index}` }));
  const dug = await unpack(await archiveOf(deep));
  assert.match(dug.err, /No space left on device/);
  const long = await unpack(await archiveOf([{ name: "d/".repeat(3_000) }]));
  assert.match(long.err, /File name too long/);
});

test("a header that never ends is given up, and so is what is no archive", async () => {
  const header = (await archiveOf([{ name: "x".repeat(300) }])).subarray(0, 512);
  header.write("77777777777", 124);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  async function* endless() {
    yield header;
    for (let piece = 0; piece < 100; piece += 1) yield Buffer.alloc(1 << 20);
    assert.fail("it is read on");
  }
  assert.match((await unpack(endless())).err, /the archive cannot be read: more than 64 MiB/);
  assert.match((await unpack(Buffer.alloc(1_024, "no archive"))).err, /the archive cannot be read/);
});

test("containers forget what was copied longest ago rather than more than all may keep", () => {
  const copied = new CopiedFiles();
  for (const life of ["a", "b", "c", "d", "e"]) assert.ok(copied.of(life).add("/x", Buffer.alloc(7 << 20)));
  assert.equal(copied.of("a").get("/x"), undefined);
  assert.ok(copied.of("e").get("/x"));
  assert.equal(copied.of("e").add("/y", Buffer.alloc(2 << 20)), false);
});
