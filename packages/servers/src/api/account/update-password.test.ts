import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import { isCapstanError } from "@capstan/model";
import { updatePassword } from "./update-password.ts";

/** Somebody who came through a provider a moment ago sets admin's password. */
async function set(passwordPattern: string, newPassword: string): Promise<string> {
  const cm = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cm" },
    data: { passwordPattern },
  };
  const written: object[] = [];
  const handler = updatePassword({
    settings: { current: readSettings([cm], []) },
    rights: { allows: () => true },
    kube: { patch: async (_ref: unknown, change: object) => written.push(change) } as never,
    clock: { now: () => 0 } as never,
    controlNamespace: "argocd",
    passwords: { hash: async () => "hashed" } as never,
    throttle: {} as never,
  });
  const user = { name: "ada", groups: [], issuer: "https://id.example" };
  const request = { name: "admin", newPassword, currentPassword: "" };
  try {
    await handler(request, { user, address: "", signal: AbortSignal.timeout(5000) });
    return `${written.length} written`;
  } catch (error) {
    assert.ok(isCapstanError(error), String(error));
    return `${error.failure.code} ${error.message}`;
  }
}

test("a new password has to fit the pattern, which is one of Go", async () => {
  assert.equal(await set("^.{8,32}$", "long enough"), "1 written");
  assert.match(await set("^.{8,32}$", "short"), /^INVALID_ARGUMENT newPassword: does not match/);
  assert.match(
    await set("^(?=.*[A-Z]).+$", "Long enough"),
    /^FAILED_PRECONDITION passwordPattern in ConfigMap/,
  );
});

test("no pattern and no password together keep the server busy", async () => {
  assert.match(await set("^(a+)+$", `${"a".repeat(100)}b`), /does not match/);
});
