import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import type { KubeClient, ObjectRef } from "./kube-client.ts";
import { rotateServiceAccountToken } from "./rotate-token.ts";

const secret = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "kube-system" },
});
const claims = {
  "kubernetes.io/serviceaccount/namespace": "kube-system",
  "kubernetes.io/serviceaccount/secret.name": "manager-token-1",
  "kubernetes.io/serviceaccount/service-account.name": "manager",
};
const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;

test("a new Secret that gets no token is taken back, whether the time was over or nobody waits any more", async () => {
  for (const isLeft of [false, true]) {
    const deleted: (string | undefined)[] = [];
    const client: Pick<KubeClient, "get" | "create" | "delete"> = {
      get: async ({ name }) => secret(name),
      create: async () => secret("manager-token-2"),
      delete: async ({ name }: ObjectRef) => {
        deleted.push(name);
        return undefined;
      },
    };
    const gone = new AbortController();
    const sleep = async () => {
      if (isLeft) gone.abort(new Error("gone"));
      gone.signal.throwIfAborted();
    };
    const clock = { now: () => 0, sleep };
    const rotating = rotateServiceAccountToken({
      client: client as KubeClient,
      token,
      clock,
      signal: gone.signal,
    });
    await assert.rejects(rotating, isLeft ? /gone/ : /the new token in Secret kube-system\/manager-token-2/);
    assert.deepEqual(deleted, ["manager-token-2"]);
  }
});
