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
