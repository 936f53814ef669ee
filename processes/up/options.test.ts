import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnforcer, parsePolicy } from "@capstan/engine";
import { readSettings } from "@capstan/kube";
import { readUpOptions } from "./options.ts";

test("--disable-auth gives everybody the admin's rights, also where policies are regular expressions", () => {
  const { overlay } = readUpOptions({ "disable-auth": true }, {});
  const data = { "policy.matchMode": "regex", "policy.csv": "p, eve, applications, get, .*, allow" };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-rbac-cm" }, data };
  const { rbac, general } = readSettings([map], [], { overlay });
  const { policies, defaultRole, matchMode } = rbac;
  const enforcer = createEnforcer({ policy: parsePolicy(policies, matchMode), defaultRole, matchMode });
  const question = { subject: "", resource: "applications", action: "delete", object: "team/web" };
  assert.equal(general.anonymousEnabled, true);
  assert.equal(enforcer.allows({ ...question, groups: [], isForeign: false }), true);
});

test("ARGOCD_GPG_ENABLED says whether signatures are verified anywhere", () => {
  const keyringWith = (env: Record<string, string>) => {
    const { overlay } = readUpOptions({}, env);
    const data = { "0123456789ABCDEF": "a key" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-gpg-keys-cm" }, data };
    return readSettings([map], [], { overlay }).general.keyring;
  };
  for (const text of ["false", "No"]) assert.equal(keyringWith({ ARGOCD_GPG_ENABLED: text }), undefined);
  for (const env of [{}, { ARGOCD_GPG_ENABLED: "" }, { ARGOCD_GPG_ENABLED: "0" }])
    assert.deepEqual(keyringWith(env), ["a key"]);
});
