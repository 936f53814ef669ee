import assert from "node:assert/strict";
import { test } from "node:test";
import { lackingRealVault, type RealVault, startRealVault } from "@capstan/testkit";
import { asRoot, configMap, fill, newTokens, oneValue, versionOne } from "./fill.ts";

const skip = lackingRealVault();

/** A secret of version 2 with three versions: deleted, destroyed, and the present one. */
async function writeVersions({ ask }: RealVault): Promise<void> {
  for (const password of ["v1", "v2", "v3", "v4"])
    await ask("POST secret/data/web", { data: { password, port: 5432, deep: { hosts: ["a", "b"] } } });
  await ask("POST secret/delete/web", { versions: [1] });
  await ask("POST secret/destroy/web", { versions: [2] });
}

test("version 2 of the engine: the present version, an earlier one, a deleted and a destroyed one", {
  skip,
}, async () => {
  await using vault = await startRealVault();
  await writeVersions(vault);
  const env = asRoot(vault);
  assert.equal(await oneValue(env, "secret/data/web#password"), "v4");
  assert.equal(await oneValue(env, "/secret/data/web#password#3"), "v3");
  assert.equal(await oneValue(env, "secret/data/web#port"), 5432);
  assert.equal(await oneValue(env, "secret/data/web#deep | jsonPath {.hosts[1]} | base64encode"), "Yg==");
  assert.equal(await oneValue(env, "secret/data/web#password | sha256sum"), sha256OfV4);
  const annotated = {
    "avp.kubernetes.io/path": "secret/data/web",
    "avp.kubernetes.io/secret-version": "3",
  };
  assert.deepEqual(await fill(env, configMap({ a: "<password>:<port>" }, annotated)), { a: "v3:5432" });
  await assert.rejects(oneValue(env, "secret/data/web#password#1"), /web: version 1 was deleted on 20\d\d-/);
  await assert.rejects(oneValue(env, "secret/data/web#password#2"), /web: version 2 is destroyed/);
  await assert.rejects(oneValue(env, "secret/data/web#password#9"), /web: there is no such secret/);
  await assert.rejects(oneValue(env, "secret/data/web#none"), /none at secret\/data\/web: there is no value/);
});

const sha256OfV4 = "8e38a1ea5c681c8e9a08f1af465f1f07d33d931de8f71af45ecbe957751c9a86";

test("version 1 of the engine, and what is said where the version or the path is wrong", {
  skip,
}, async () => {
  await using vault = await startRealVault();
  await vault.ask("POST sys/mounts/kv", { type: "kv", options: { version: "1" } });
  await vault.ask("POST kv/a/web", { password: "one", big: 1, ttl: "30m" });
  await vault.ask("POST kv/with%20blank", { password: "blank" });
  await vault.ask("POST secret/data/web", { data: { password: "two" } });
  const env = asRoot(vault);
  assert.equal(await oneValue(env, "kv/a/web#password", versionOne), "one");
  assert.equal(await oneValue(env, "kv/a/web#password#7", versionOne), "one", "it keeps no versions");
  assert.equal(await oneValue({ ...env, AVP_KV_VERSION: "1" }, "kv/with blank#password"), "blank");
  const wrong = {
    "kv/a/web#password": /no secret of version 2\. Write "\/data\/" into the path, or set the version to 1/,
    "kv/data/web#password": /there is no such secret/,
    "secret/web#password": /the engine keeps versions: write "\/data\/" into the path/,
    "secret/data#password": /there is no secret: Non-listing operations on the root of a K\/V v2 mount/,
    "nowhere/data/web#password": /Vault answers 404: no handler for route "nowhere\/data\/web"/,
  };
  for (const [address, message] of Object.entries(wrong))
    await assert.rejects(oneValue(env, address), message);
  const removing = { "avp.kubernetes.io/remove-missing": "true" };
  const kept = configMap(
    { a: "<path:secret/data/web#password>", b: "<path:secret/data/web#none>" },
    removing,
  );
  assert.deepEqual(await fill(env, kept), { a: "two" });
  await assert.rejects(
    fill(env, configMap({ a: "<path:secret/data/wbe#password>" }, removing)),
    /password at secret\/data\/wbe: there is no such secret/,
    "a path that is mistyped removes nothing",
  );
});

test("500 placeholders of one path are one request, by the server's own audit; 500 paths are 500", {
  skip,
}, async () => {
  await using vault = await startRealVault();
  const paths = Array.from({ length: 500 }, (_, at) => `secret/data/many/${at}`);
  await Promise.all(paths.map((path, at) => vault.ask(`POST ${path}`, { data: { password: `p${at}` } })));
  const reads = async () => (await vault.audited()).filter((one) => one.startsWith("read secret/")).length;
  const tokens = newTokens();
  const same = Object.fromEntries(paths.map((_, at) => [`k${at}`, `<path:${paths[7]}#password>`]));
  assert.deepEqual(
    new Set(Object.values(Object(await fill(asRoot(vault), configMap(same), { tokens })))),
    new Set(["p7"]),
  );
  assert.equal(await reads(), 1);
  const each = Object.fromEntries(paths.map((path, at) => [`k${at}`, `<path:${path}#password>`]));
  assert.equal(Object(await fill(asRoot(vault), configMap(each), { tokens })).k499, "p499");
  assert.equal(await reads(), 501);
});
