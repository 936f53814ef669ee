import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResource } from "./api-resource.ts";
import { listPages } from "./list-pages.ts";
import type { RawRequest } from "./raw-requests.ts";

const row: ApiResource = {
  ...{ group: "", version: "v1", kind: "ConfigMap", resource: "configmaps", namespaced: true },
  ...{ verbs: ["list"], shortNames: [], subresources: [], preferred: true },
};

/** A server with so many objects of so many characters each; what was asked for, page by page. */
async function limitsOf(count: number, characters: number): Promise<number[]> {
  const limits: number[] = [];
  const ask = async ({ url }: RawRequest) => {
    const query = new URL(url, "http://cluster").searchParams;
    const [from, limit] = [Number(query.get("continue") ?? 0), Number(query.get("limit"))];
    limits.push(limit);
    const end = Math.min(count, from + limit);
    const items = Array.from({ length: end - from }, (_, at) => ({ metadata: { name: `at-${from + at}` } }));
    const metadata = { resourceVersion: "7", ...(end < count ? { continue: String(end) } : {}) };
    return { value: { metadata, items }, length: items.length * characters };
  };
  const query = { apiVersion: "v1", kind: "ConfigMap" };
  const signal = AbortSignal.timeout(10_000);
  const { items, resourceVersion } = await listPages(ask, { row, query, signal, held: undefined });
  assert.deepEqual([items.length, items.at(-1)?.metadata.name], [count, `at-${count - 1}`]);
  assert.equal(resourceVersion, "7");
  return limits;
}

test("a list's pages have many objects where these are small, and few where they are large", async () => {
  assert.deepEqual(await limitsOf(1_000, 500), [100, 500, 500]);
  assert.deepEqual(await limitsOf(300, 7_000), [100, 100, 100]);
  assert.deepEqual(await limitsOf(125, 1_000_000), [100, 10, 10, 10]);
  assert.deepEqual(await limitsOf(100, 7_000), [100]);
});
