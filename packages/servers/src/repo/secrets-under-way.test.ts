import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretsUnderWay } from "./secrets-under-way.ts";

test("a Secret is read while somebody is rendered who may have it, and for nobody else", async () => {
  const secrets = new SecretsUnderWay("kubernetes:{namespace}");
  const own = { namespace: "team-a", name: "db" };
  const foreign = { namespace: "argocd", name: "argocd-secret" };
  const request = {
    repository: { url: "https://git.example/x" },
    source: { repoURL: "https://git.example/x" },
    ...{ appName: "web", namespace: "team-a", project: "team", kubeVersion: "1.34.0", apiVersions: [] },
    isDestinationHere: true,
  };
  assert.throws(() => secrets.require(own), /no application that is rendered now may read Secret team-a:db/);
  await secrets.during(request, async () => {
    secrets.require(own);
    assert.throws(() => secrets.require(foreign));
  });
  await secrets.during({ ...request, isDestinationHere: false }, async () =>
    assert.throws(() => secrets.require(own)),
  );
  await secrets.during({ ...request, secretStores: "vault" }, async () =>
    assert.throws(() => secrets.require(own)),
  );
  assert.throws(() => secrets.require(own));
});
