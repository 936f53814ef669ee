import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fastify from "fastify";
import { readProjection } from "./project-fields.ts";
import { sendJson } from "./send-json.ts";

interface Given {
  method?: "GET" | "POST";
  state?: string;
  fields?: string;
  headers?: Record<string, string>;
}

async function sent(answer: unknown, { method = "GET", state, fields, headers = {} }: Given = {}) {
  await using opened = new AsyncDisposableStack();
  const app = fastify();
  opened.defer(() => app.close());
  app.route({
    method,
    url: "/",
    handler: (_request, reply) => sendJson(reply, answer, { projection: readProjection(fields), state }),
  });
  return await app.inject({ method, url: "/", headers });
}

const listOf = (count: number) => ({
  metadata: { resourceVersion: "7" },
  items: Array.from({ length: count }, (_, index) => ({
    name: `app-${index}`,
    big: 2n ** 60n,
    text: "x".repeat(90),
  })),
});
const expected = (count: number) =>
  JSON.stringify(listOf(count), (_key, value) => (typeof value === "bigint" ? 0 : value));
const readable = (text: string) => text.replaceAll("1152921504606846976", "0");

for (const count of [0, 1, 3, 5_000])
  test(`a list of ${count} is the same text whole and in pieces, however it is packed`, async () => {
    assert.equal(readable((await sent(listOf(count))).payload), expected(count));
    const gzip = await sent(listOf(count), { headers: { "accept-encoding": "gzip" } });
    const isPacked = count === 5_000;
    assert.equal(gzip.headers["content-encoding"], isPacked ? "gzip" : undefined);
    if (isPacked) assert.equal(readable(String(gunzipSync(gzip.rawPayload))), expected(count));
    const br = await sent(listOf(count), { headers: { "accept-encoding": "br, gzip" } });
    if (isPacked) assert.equal(readable(String(brotliDecompressSync(br.rawPayload))), expected(count));
    assert.equal(br.headers.vary, "accept-encoding");
  });

test("fields cut the entries; what stands beside them is whole", async () => {
  const { payload } = await sent(listOf(2), { fields: "items.name" });
  assert.deepEqual(JSON.parse(payload), {
    metadata: { resourceVersion: "7" },
    items: [{ name: "app-0" }, { name: "app-1" }],
  });
  assert.equal((await sent({ a: 1, b: 2 }, { fields: "-a" })).payload, '{"b":2}');
});

test("who has a list is told so: by what it was made from, else by its text", async () => {
  const first = await sent(listOf(2));
  const tag = String(first.headers.etag);
  const again = await sent(listOf(2), { headers: { "if-none-match": tag } });
  assert.deepEqual([again.statusCode, again.payload, again.headers.etag], [304, "", tag]);
  assert.equal((await sent(listOf(3), { headers: { "if-none-match": tag } })).statusCode, 200);
  for (const count of [2, 5_000]) {
    const made = await sent(listOf(count), { state: "one" });
    const headers = { "if-none-match": String(made.headers.etag) };
    assert.equal((await sent(listOf(count), { state: "one", headers })).statusCode, 304);
    assert.equal((await sent(listOf(count), { state: "two", headers })).statusCode, 200);
  }
});

test("an answer to a change is neither packed nor tagged: tokens are in such", async () => {
  const headers = { "accept-encoding": "gzip, br", "if-none-match": "*" };
  const { statusCode, headers: told } = await sent(listOf(500), { method: "POST", headers });
  assert.deepEqual([statusCode, told["content-encoding"], told.etag], [200, undefined, undefined]);
  assert.equal(told["cache-control"], "no-store");
});

test("an entry that cannot be written ends the answer, not the server", async () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  const broken = { items: [...listOf(2_000).items, loop] };
  await assert.rejects(sent(broken, { headers: { "accept-encoding": "gzip" } }));
});
