import assert from "node:assert/strict";
import { test } from "node:test";
import { openSmallWorld, playActingAccounts } from "@capstan/testkit/worlds";

test("what an application's service account may not do, nobody does for it, and nothing else is written as it", async () => {
  await using world = await openSmallWorld();
  await playActingAccounts(world);
  const asWhom = (isTheirs: (url: string) => boolean) =>
    new Set(
      world.requests
        .filter(({ url, method }) => isTheirs(url) && method !== "GET")
        .map(({ headers }) => headers["impersonate-user"]),
    );
  const written = asWhom((url) => url.startsWith("/api/v1/namespaces/web/configmaps"));
  const account = (name: string) => `system:serviceaccount:${name}`;
  assert.deepEqual(written, new Set(["web:absent", "kube-system:deployer", "web:deployer"].map(account)));
  assert.deepEqual(
    asWhom((url) => !url.includes("/configmaps")),
    new Set([undefined]),
  );
});
