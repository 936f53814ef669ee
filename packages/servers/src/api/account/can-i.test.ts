import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import { isCapstanError } from "@capstan/model";
import type { Call } from "../../call.ts";
import { createRights } from "../access/create-rights.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { askRights, askRightsOf, canI } from "./can-i.ts";

const map = (name: string, data: Record<string, string>) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  data,
});
const policy = [
  "p, eve, applications, sync, team/web, allow",
  "p, eve, applications, rollback, team/api, allow",
  "p, eve, certificates, create, *, allow",
  "p, eve, applications, delete, team/web, allow",
  "p, alice, applications, sync, team/*, allow",
  "p, role:remover, applications, delete, */*, allow",
  "g, ops, role:remover",
];

function asker(data: Record<string, string> = {}, more: readonly string[] = []) {
  const maps = [
    map("argocd-rbac-cm", { "policy.csv": [...policy, ...more].join("\n") }),
    map("argocd-cm", data),
  ];
  const settings = { current: readSettings(maps, []) };
  const controlNamespace = "argocd";
  const live = { get: () => undefined };
  const rights = createRights({ settings, live, controlNamespace, log: { warn: () => undefined } });
  const call: Call = {
    user: { name: "eve", groups: [], issuer: ownIssuer },
    address: "",
    signal: AbortSignal.timeout(5000),
  };
  const needs = { rights, settings, controlNamespace };
  return Object.assign(
    async (action: string, resource: string, subresource: string) =>
      (await canI(needs)({ action, resource, subresource }, call)).value,
    {
      all: (asked: { resource: string; action: string; object: string }[]) =>
        askRights(needs)({ rights: asked }, call),
      of: (kind: string, subject: string, asked: { resource: string; action: string; object: string }[]) =>
        askRightsOf(needs)({ kind, subject, rights: asked }, call),
      /** A body is not checked for what it leaves out. */
      body: (text: string) => askRights(needs)(JSON.parse(text), call),
    },
  );
}

test("may I roll back: whoever may sync may, until the settings ask for the right itself", async () => {
  const [usual, enforced] = [asker(), asker({ "server.rbac.rollback.enforce.enable": "true" })];
  assert.equal(await usual("rollback", "applications", "team/web"), "yes");
  assert.equal(await usual("rollback", "applications", "team/api"), "no");
  assert.equal(await enforced("rollback", "applications", "team/web"), "no");
  assert.equal(await enforced("rollback", "applications", "team/api"), "yes");
});

test("an application of the control namespace may be asked for with it", async () => {
  const may = asker();
  assert.equal(await may("sync", "applications", "team/argocd/web"), "yes");
  assert.equal(await may("sync", "applications", "team/elsewhere/web"), "no");
  assert.equal(await may("create", "certificates", ""), "yes");
});

test("words that are none are refused, not answered with no", async () => {
  const isRefused = (field: string) => (error: unknown) =>
    isCapstanError(error) && error.failure.code === "INVALID_ARGUMENT" && error.failure.field === field;
  await assert.rejects(asker()("sink", "applications", "*"), isRefused("action"));
  await assert.rejects(asker()("sync", "application", "*"), isRefused("resource"));
  assert.equal(await asker()("update/apps/Deployment/ns/x", "applications", "team/web"), "no");
});

test("many rights are asked at once and answered in their order, as single ones are", async () => {
  const asked = ["web", "api", "argocd/web"].map((name) => ({
    ...{ resource: "applications", action: "sync", object: `team/${name}` },
  }));
  assert.deepEqual(await asker().all(asked), { allowed: [true, false, true] });
  const many = Array.from({ length: 2001 }, () => ({ resource: "projects", action: "get", object: "x" }));
  await assert.rejects(asker().all(many), /2000 at most/);
  await assert.rejects(asker().all([{ resource: "rockets", action: "get", object: "*" }]), /rockets/);
});

test("a body without questions has no answers, and one without its words is refused", async () => {
  assert.deepEqual(await asker().body("{}"), { allowed: [] });
  await assert.rejects(asker().body('{"rights": [{}]}'), /"" is none of/);
});

test("whoever may delete an application may delete its objects only where the settings say so", async () => {
  const pod = { resource: "applications", action: "delete//Pod/ns/x", object: "team/web" };
  assert.deepEqual(await asker().all([pod]), { allowed: [false] });
  const inheriting = asker({ "server.rbac.disableApplicationFineGrainedRBACInheritance": "false" });
  assert.deepEqual(await inheriting.all([pod]), { allowed: [true] });
});

test("what alice may is told to whoever may see her account, and is what she may", async () => {
  const sync = { resource: "applications", action: "sync", object: "team/web" };
  const elsewhere = { ...sync, object: "other/web" };
  await assert.rejects(asker().of("account", "alice", [sync]), isRefused);
  const seesAlice = asker({}, ["p, eve, accounts, get, alice, allow"]);
  assert.deepEqual(await seesAlice.of("account", "alice", [sync, elsewhere]), { allowed: [true, false] });
  await assert.rejects(seesAlice.of("account", "admin", [sync]), isRefused);
  await assert.rejects(seesAlice.of("group", "ops", [sync]), isRefused);
  await assert.rejects(seesAlice.of("person", "alice", [sync]), /account, role, user, group/);
});

test("a group is what the provider calls so; it has nothing of an account of its name", async () => {
  const seesAll = asker({}, ["p, eve, accounts, get, *, allow"]);
  const remove = { resource: "applications", action: "delete", object: "team/web" };
  assert.deepEqual(await seesAll.of("group", "ops", [remove]), { allowed: [true] });
  assert.deepEqual(await seesAll.of("user", "admin", [remove]), { allowed: [false] });
});

const isRefused = (error: unknown) => isCapstanError(error) && error.code === "RIGHT_MISSING";
