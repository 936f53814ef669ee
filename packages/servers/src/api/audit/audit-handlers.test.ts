import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError, type Manifest } from "@capstan/model";
import { routes } from "@capstan/wire";
import type { Call, Handlers } from "../../call.ts";
import { auditHandlers } from "./audit-handlers.ts";
import { auditedEvents, unchanging } from "./audited-calls.ts";

const stored: Manifest = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web", namespace: "argocd", uid: "1" },
  spec: { destination: { server: "https://kube", namespace: "web" } },
};

function world(answer: () => Promise<unknown> = async () => ({})) {
  const lines: object[] = [];
  const events: { about: Manifest; [field: string]: unknown }[] = [];
  const inner = Object.fromEntries(Object.keys(routes).map((name) => [name, answer])) as unknown as Handlers;
  const handlers = auditHandlers(inner, {
    controlNamespace: "argocd",
    live: { get: ({ kind, name }) => (kind === "Application" && name === "web" ? stored : undefined) },
    log: { info: (facts) => void lines.push(facts) },
    events: { record: (about, text) => void events.push({ about, ...text }) },
  });
  const user = { name: "ada", groups: [], issuer: "argocd" };
  const call: Call = { user, address: "192.0.2.7", signal: AbortSignal.timeout(5000) };
  return { handlers, lines, events, call };
}

test("a call that changes something is told: who, what, from where, and how it ended", async () => {
  const { handlers, lines, events, call } = world();
  await handlers.syncApplication({ name: "web", prune: true, revision: "v1" }, call);
  const who = { user: "ada", issuer: "argocd", address: "192.0.2.7" };
  const request = { name: "web", revision: "v1" };
  assert.deepEqual(lines, [{ audit: "syncApplication", ...who, request, result: "OK" }]);
  assert.deepEqual(events, [
    {
      about: stored,
      type: "Normal",
      reason: "OperationStarted",
      message: "ada initiated sync to v1",
      annotations: { "dest-server": "https://kube", "dest-namespace": "web", user: "ada" },
    },
  ]);
});

test("a refusal is told with its code, and is no event", async () => {
  const refused = new CapstanError({
    code: "FORBIDDEN",
    action: "delete",
    what: "application web",
    user: "ada",
  });
  const { handlers, lines, events, call } = world(() => Promise.reject(refused));
  await assert.rejects(handlers.deleteApplication({ name: "web" }, call), refused);
  assert.deepEqual(
    lines.map((line) => "result" in line && line.result),
    ["FORBIDDEN"],
  );
  assert.deepEqual(events, []);
});

test("what is created is in the answer, and a dry run is no event", async () => {
  const { handlers, events, call } = world(async () => stored);
  const metadata = { name: "web" };
  const spec = { project: "default", destination: {}, source: { repoURL: "https://x" } };
  await handlers.createApplication({ application: { ...stored, metadata, spec } as never }, call);
  await handlers.syncApplication({ name: "web", dryRun: true }, call);
  assert.deepEqual(
    events.map(({ message }) => message),
    ["ada created application"],
  );
});

test("no secret of a request is told", async () => {
  const { handlers, lines, call } = world();
  const repo = "https://me:hidden-1@git.example/x";
  await handlers.updatePassword({ name: "bob", currentPassword: "hidden-2", newPassword: "hidden-3" }, call);
  await handlers.deleteRepository({ repo }, call);
  await handlers.patchApplication({ name: "web", patch: "hidden-4" }, call);
  assert.equal(lines.length, 3);
  assert.match(JSON.stringify(lines), /"repo":"https:\/\/git.example\/x"/);
  assert.doesNotMatch(JSON.stringify(lines), /hidden/);
});

test("nothing of a password in an address is told, whatever is in it", async () => {
  const { handlers, lines, call } = world();
  await handlers.deleteRepository({ repo: "https://me:hidden/1@git.example/x" }, call);
  assert.match(JSON.stringify(lines), /"repo":"https:\/\/git.example\/x"/);
});

test("every call is read only, or told", async () => {
  const { handlers, lines, call } = world();
  for (const [name, { method }] of Object.entries(routes)) {
    lines.length = 0;
    await (handlers[name as keyof Handlers] as (request: object, call: Call) => Promise<unknown>)({}, call);
    const isTold = method !== "GET" && ![...unchanging].some((one) => one === name);
    assert.equal(lines.length, isTold ? 1 : 0, name);
  }
  for (const name of [...unchanging, ...Object.keys(auditedEvents)]) assert.ok(name in routes, name);
});
