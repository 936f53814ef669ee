import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSecretStores, defaultSecretStores, secretStoresOf } from "./secret-stores.ts";
import { validateAppProject } from "./validate-project.ts";

const reader = { project: "team", namespace: "team-a", isDestinationHere: true };
const permits = (stores: string, [store, path]: readonly [string, string], more: object = {}) =>
  secretStoresOf({ ...reader, stores, ...more }).permits(store, path);

test("an entry permits its path and what is below, in whole segments", () => {
  const stores = "vault:secret/data/team-*, kubernetes:{namespace}\naws:prod/**/db, sops:age/age1abc, gcp";
  const yes: [string, string][] = [
    ["vault", "secret/data/team-a"],
    ["vault", "/secret/data/team-a/web/"],
    ["kubernetes", "team-a/db"],
    ["aws", "prod/db"],
    ["aws", "prod/a/b/db/x"],
    ["sops", "age/age1abc"],
    ["gcp", "projects/p/secrets/s"],
  ];
  for (const [store, path] of yes) assert.ok(permits(stores, [store, path]), `${store}:${path}`);
  const no: [string, string][] = [
    ["vault", "secret/data/rival"],
    ["vault", "secret/data"],
    ["vault", "secret/data/team-a/../rival"],
    ["vault", "secret/data/team-a/%2e%2e/rival"],
    ["vault", "secret/data/team-a?x"],
    ["vault", "secret//data/team-a"],
    ["vault", "ns/secret/data/team-a"],
    ["kubernetes", "argocd/argocd-secret"],
    ["kubernetes", "team-ab/db"],
    ["aws", "prod/a"],
    ["sops", "age/age1abcd"],
    ["sops", "pgp/1"],
    ["azure", "web/key"],
    ["gcp", ""],
  ];
  for (const [store, path] of no) assert.ok(!permits(stores, [store, path]), `${store}:${path}`);
});

test("the default is Secrets of the own namespace, on the cluster that runs Capstan", () => {
  assert.ok(permits(defaultSecretStores, ["kubernetes", "team-a/db"]));
  assert.ok(!permits(defaultSecretStores, ["kubernetes", "team-a/db"], { isDestinationHere: false }));
  assert.ok(!permits(defaultSecretStores, ["kubernetes", "/db"], { namespace: "" }));
  assert.ok(!permits(defaultSecretStores, ["kubernetes", "other/db"], { namespace: "*" }));
  for (const store of ["vault", "sops", "aws"]) assert.ok(!permits(defaultSecretStores, [store, "team-a/x"]));
  assert.ok(!permits("", ["kubernetes", "team-a/db"]));
  assert.ok(permits("*", ["vault", "anything"]));
});

test("patterns take time in proportion to the path", () => {
  const pattern = `vault:${Array.from({ length: 200 }, () => "**").join("/")}/x`;
  assert.ok(!permits(pattern, ["vault", Array.from({ length: 2000 }, () => "a").join("/")]));
  assert.ok(!permits(`vault:${"*a".repeat(500)}x`, ["vault", "a".repeat(5000)]));
});

test("a refusal says who permits it, and an unknown entry is refused with the project", () => {
  const stores = secretStoresOf({ ...reader, stores: defaultSecretStores });
  assert.throws(
    () => stores.require("vault", "secret/data/x"),
    /project team may not use secret store vault:secret\/data\/x.*capstan\.dev\/secret-stores.*--secret-stores/,
  );
  assert.deepEqual(checkSecretStores("vault, sops:age", "f"), []);
  for (const text of ["valt:x", "vault:", "vault:../x", "vault:a//b"])
    assert.equal(checkSecretStores(text, "f").length, 1, text);
  const annotations = { "capstan.dev/secret-stores": "valt" };
  const metadata = { name: "team", annotations };
  const project = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec: {} };
  assert.match(JSON.stringify(validateAppProject(project)), /names no secret store/);
});
