import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import { createTokens } from "./tokens.ts";

const clock = { now: () => 1_700_000_000_500, sleep: async () => undefined };
const revocations = { isRevoked: async () => false, revoke: async () => undefined };

function world(secret: Record<string, string>) {
  const read = (more: Record<string, string>) => {
    const all = { "server.secretkey": "k".repeat(32), ...secret, ...more };
    const data = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, btoa(value)]));
    const metadata = { name: "argocd-secret", namespace: "argocd" };
    return readSettings([], [{ apiVersion: "v1", kind: "Secret", metadata, data }]);
  };
  const settings = { current: read({}) };
  return {
    tokens: createTokens({ settings, clock, revocations, findProject: () => undefined }),
    change: (more: Record<string, string>) => {
      settings.current = read(more);
    },
  };
}

test("a token of the very second in which the password was changed counts no more", async () => {
  const { tokens, change } = world({ "admin.password": "old" });
  const { token } = await tokens.issue("admin:login", { expiresInMs: 60_000, passwordHash: "old" });
  assert.equal((await tokens.verify(token)).name, "admin");
  change({ "admin.password": "new", "admin.passwordMtime": "2023-11-14T22:13:20Z" });
  await assert.rejects(tokens.verify(token), /password was changed/);
  const { token: later } = await tokens.issue("admin:login", { expiresInMs: 60_000, passwordHash: "new" });
  assert.equal((await tokens.verify(later)).name, "admin");
  assert.ok(
    !Buffer.from(token.split(".")[1] ?? "", "base64url")
      .toString()
      .includes("old"),
  );
});

test("a token of a page counts with its secret alone", async () => {
  const { tokens } = world({ "admin.password": "old" });
  const { token } = await tokens.issue("admin:login", { expiresInMs: undefined, page: "secret" });
  assert.equal((await tokens.verify(token, "secret")).name, "admin");
  await assert.rejects(tokens.verify(token), /session is that of a page/);
  await assert.rejects(tokens.verify(token, "other"), /session is that of a page/);
});
