import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { type SpdyStream, serveSpdy } from "./spdy.ts";
import { HeaderBlocks } from "./spdy-headers.ts";

function connection() {
  const written: Buffer[] = [];
  const duplex = new Duplex({
    read() {
      // Pieces are pushed by the test.
    },
    write(chunk, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  return { duplex, written };
}

function control(kind: number, rest: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(kind, 2);
  head.writeUIntBE(rest.length, 5, 3);
  return Buffer.concat([head, rest]);
}

async function synStream(blocks: HeaderBlocks, id: number, headers: Record<string, string>): Promise<Buffer> {
  const head = Buffer.alloc(10);
  head.writeUInt32BE(id, 0);
  return control(1, Buffer.concat([head, await blocks.write(headers)]));
}

test("streams are opened with headers that share their compression, and carry data in whatever pieces", async () => {
  const { duplex, written } = connection();
  const blocks = new HeaderBlocks();
  const opened: SpdyStream[] = [];
  const serving = serveSpdy(duplex, (stream) => opened.push(stream), new AbortController().signal);
  const data = Buffer.from([0, 0, 0, 1, 1, 0, 0, 2, 104, 105]);
  const all = Buffer.concat([
    await synStream(blocks, 1, { streamtype: "data", port: "80" }),
    await synStream(blocks, 3, { streamtype: "error", port: "80" }),
    data,
  ]);
  for (const byte of all) duplex.push(Buffer.from([byte]));
  duplex.push(null);
  await serving;
  assert.deepEqual(
    opened.map(({ headers }) => headers.get("streamtype")),
    ["data", "error"],
  );
  const [first] = opened;
  assert.ok(first);
  assert.equal(Buffer.concat(await Array.fromAsync(first.input)).toString(), "hi");
  assert.equal(written.filter((frame) => frame.readUInt16BE(2) === 2).length, 2);
});

for (const [what, bytes] of [
  ["a frame of 16 MB", Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
  ["a header block that is none", control(1, Buffer.alloc(40, 1))],
  ["a header block of a megabyte", control(1, Buffer.alloc(100_000))],
] as const)
  test(`${what} ends the connection`, async () => {
    const { duplex } = connection();
    duplex.push(bytes);
    await assert.rejects(serveSpdy(duplex, () => assert.fail("no stream"), new AbortController().signal));
    assert.equal(duplex.destroyed, true);
  });
