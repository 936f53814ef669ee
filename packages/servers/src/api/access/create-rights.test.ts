import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { createRights } from "./create-rights.ts";

const allowed = "p, eve, applications, *, team/*, allow";
const denied = "p, eve, applications, delete, team/*, deny";

function world(project?: Manifest) {
  const said: string[] = [];
  const place = { current: readSettings([], []) };
  const rights = createRights({
    settings: place,
    live: { get: () => project },
    controlNamespace: "argocd",
    log: { warn: (_: object, text: string) => void said.push(text) },
  });
  const user = { name: "eve", groups: [], issuer: "argocd" };
  const may = (action: string) =>
    rights.allows(user, { resource: "applications", action, object: "team/web" });
  const set = (...lines: string[]) => {
    const metadata = { name: "argocd-rbac-cm", namespace: "argocd" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "policy.csv": lines.join("\n") } };
    place.current = readSettings([map], []);
  };
  return { said, may, set };
}

test("a deny line that becomes unreadable widens nobody's rights: the policy of before stays", () => {
  const { said, may, set } = world();
  set(allowed, denied);
  assert.deepEqual([may("get"), may("delete")], [true, false]);
  set(allowed, denied.replace(" delete,", ""));
  assert.deepEqual([may("get"), may("delete")], [true, false]);
  assert.match(said.join(), /it may deny something: the policy of before stays in force/);
  set(allowed);
  assert.deepEqual([may("get"), may("delete")], [true, true]);
});

test("where none was in force before, nothing of a policy with such a line is", () => {
  const { said, may, set } = world();
  set(allowed, denied.replace(" delete,", ""));
  assert.deepEqual([may("get"), may("delete")], [false, false]);
  assert.match(said.join(), /only the account admin and policy.default have rights/);
});

test("a line that can give rights only is left out, and the rest holds", () => {
  const { said, may, set } = world();
  set(allowed, "p, bob, applications, get");
  assert.ok(may("get"));
  assert.match(said.join(), /a policy line is left out/);
});

test("of a project's many bad lines the first are said, those that may deny before others, and how many more there are", () => {
  const bad = Array<string>(5_000).fill("p, role:other, applications, get, team/*, allow");
  const policies = [...bad, "p, proj:team:dev, applications, delete, deny"];
  const { said, may } = world({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "team", namespace: "argocd" },
    spec: { roles: [{ name: "dev", policies }] },
  });
  may("get");
  may("get");
  assert.equal(said.length, 21);
  assert.match(said[0] ?? "", /line 5001 .*may deny something/);
  assert.match(said[20] ?? "", /^4981 more policy lines/);
});
