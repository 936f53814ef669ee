import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "../server/test-cluster.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/test.io/v1/namespaces/default/things";

/** A definition whose spec has this schema, as the text that its author sends. */
function definition(spec: string): string {
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.test.io"},
    "spec":{"group":"test.io","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1",
    "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":${spec}}}}}]}}`;
}

const thing = (name: string, spec: string): string =>
  `{"apiVersion":"test.io/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;

test("Traefik: a rule over a text of format duration, and a maximum of 2^63 - 1", async (t) => {
  const cluster = await TestCluster.start(t);
  const spec = `{"type":"object","properties":{
    "wait":{"type":"string","format":"duration","x-kubernetes-validations":[{"rule":"self >= duration('1s')","message":"too short"}]},
    "most":{"type":"integer","format":"int64","minimum":0,"maximum":9223372036854775807}}}`;
  await cluster.create(crds, definition(spec));
  const created = await cluster.create(things, thing("a", `{"wait":"1m","most":9223372036854775807}`));
  assert.match(created.text, /"most":9223372036854775807/);
  assert.match((await cluster.get(`${things}/a`)).text, /"most":9223372036854775807/);
  const short = await cluster.ask("POST", things, { body: thing("b", `{"wait":"10ms"}`) });
  assert.match(String(at(short.body, "message")), /spec\.wait: Invalid value: .*too short/);
  const negative = await cluster.ask("POST", things, { body: thing("c", `{"most":-9223372036854775807}`) });
  assert.match(String(at(negative.body, "message")), /should be greater than or equal to 0/);
});

test("Gateway API: has() of what stands behind an index", async (t) => {
  const cluster = await TestCluster.start(t);
  const spec = `{"type":"object","properties":{"matches":{"type":"array","maxItems":4,"items":{"type":"object",
    "properties":{"path":{"type":"string"}}}}},"x-kubernetes-validations":[{"rule":"size(self.matches) != 1 || has(self.matches[0].path)"}]}`;
  await cluster.create(crds, definition(spec));
  await cluster.create(things, thing("a", `{"matches":[{"path":"/"}]}`));
  const refused = await cluster.ask("POST", things, { body: thing("b", `{"matches":[{}]}`) });
  assert.equal(refused.status, 422);
});

test("PrometheusRule: a pattern with a flag in its middle", async (t) => {
  const cluster = await TestCluster.start(t);
  const spec = `{"type":"object","properties":{"strategy":{"type":"string","pattern":"^(?i)(abort|warn)?$"}}}`;
  await cluster.create(crds, definition(spec));
  await cluster.create(things, thing("a", `{"strategy":"Warn"}`));
  const refused = await cluster.ask("POST", things, { body: thing("b", `{"strategy":"no"}`) });
  assert.match(String(at(refused.body, "message")), /should match '\^\(\?i\)\(abort\|warn\)\?\$'/);
});
