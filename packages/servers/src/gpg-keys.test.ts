import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const path = "/api/v1/gpgkeys";
const textOf = (name: string) => readFileSync(join(import.meta.dirname, "api/testdata", name), "utf8");
const ids = ["4881504740D5A951", "730F6259DE05774E", "998D37D782D8EBC3"];

describe("keys of signatures", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const create = (keyData: string, query = "") =>
    api.request("POST", `${path}${query}`, { body: { keyData } });
  const listed = async () => {
    const { body, headers } = await api.request("GET", path);
    assert.ok(isRecord(body) && Array.isArray(body.items));
    return { items: body.items.filter(isRecord), warning: headers.get("warning") };
  };

  test("keys are added, skipped when they are there, replaced when asked to, shown and deleted", async () => {
    const first = await create(textOf("three-keys.asc"));
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const again = await create(textOf("ada.asc"));
    assert.deepEqual(again.body, { created: { metadata: {}, items: [] }, skipped: ["730F6259DE05774E"] });
    const { items } = await listed();
    assert.deepEqual(
      items.map(({ keyID }) => keyID),
      ids,
    );
    assert.deepEqual(items[1], {
      keyID: "730F6259DE05774E",
      fingerprint: "F3C9A2CEAC63F6214B3AFBD0730F6259DE05774E",
      owner: "Ada <ada@example.com>",
      trust: "unknown",
      subType: "ed25519",
    });
    const one = await api.request("GET", `${path}/F3C9A2CEAC63F6214B3AFBD0730F6259DE05774E`);
    assert.equal(isRecord(one.body) && one.body.keyData, textOf("ada.asc").trimEnd());
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-gpg-keys-cm" };
    const body = { data: { "730F6259DE05774E": "damaged" } };
    await api.world.kube.patch(ref, { type: "merge", body }, { signal: AbortSignal.timeout(10_000) });
    const damaged = await listed();
    assert.equal(damaged.items.length, 2);
    assert.match(damaged.warning ?? "", /key 730F6259DE05774E of ConfigMap argocd-gpg-keys-cm/);
    const mended = await create(textOf("ada.asc"), "?upsert=true");
    assert.ok(isRecord(mended.body) && isRecord(mended.body.created));
    assert.equal((await api.request("DELETE", `${path}?keyID=730F6259DE05774E`)).status, 200);
    assert.equal((await api.request("DELETE", `${path}?keyID=730F6259DE05774E`)).status, 404);
    assert.equal((await listed()).items.length, 2);
  });

  test("what is no key, and no id of one, is refused in words", async () => {
    for (const [keyData, says] of [
      [" ", /submitted key data is empty/],
      ["hello", /holds no -----BEGIN PGP/],
    ] as const) {
      const { status, body } = await create(keyData);
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), says);
    }
    const { status, body } = await api.request("GET", `${path}/xyz`);
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /KeyID is malformed or empty/);
  });
});
