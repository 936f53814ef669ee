import assert from "node:assert/strict";
import { test } from "node:test";
import { missingRules, printRule, readRules, ruleAllows } from "./policy-rule.ts";

const rules = (...list: Record<string, readonly string[]>[]) => readRules({ rules: list });
const asked = { verb: "get", group: "", resource: "pods", subresource: "", name: "", path: "" };

test("a rule holds for its verbs, groups, resources and names alone", () => {
  const [rule] = rules({ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] });
  assert.ok(rule);
  assert.equal(ruleAllows(rule, { ...asked, name: "a" }), true);
  assert.equal(ruleAllows(rule, { ...asked, name: "b" }), false);
  assert.equal(ruleAllows(rule, { ...asked, name: "a", verb: "list" }), false);
  assert.equal(ruleAllows(rule, { ...asked, name: "a", subresource: "log" }), false);
});

test("stars stand for any resource, any subresource of one name, and any end of a path", () => {
  const [any, scale, page] = rules(
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["get"], apiGroups: [""], resources: ["*/scale"] },
    { verbs: ["get"], nonResourceURLs: ["/healthz/*"] },
  );
  assert.ok(any && scale && page);
  assert.equal(ruleAllows(any, { ...asked, subresource: "log" }), true);
  assert.equal(ruleAllows(scale, { ...asked, subresource: "scale" }), true);
  assert.equal(ruleAllows(scale, asked), false);
  assert.equal(ruleAllows(page, { ...asked, resource: "", path: "/healthz/ping" }), true);
  assert.equal(ruleAllows(page, { ...asked, resource: "", path: "/healthz" }), false);
});

test("what is missing is told with its verbs together", () => {
  const owned = rules({ verbs: ["get"], apiGroups: [""], resources: ["pods"] });
  const wanted = rules({ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] });
  const missing = missingRules(owned, wanted).map(printRule);
  assert.deepEqual(missing, ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}']);
});
