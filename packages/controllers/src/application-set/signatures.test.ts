import assert from "node:assert/strict";
import { test } from "node:test";
import { createGitRepository, createSigner, lackingGpg, sketchProject } from "@capstan/testkit";
import { openSetWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const refresh = { metadata: { annotations: { "argocd.argoproj.io/application-set-refresh": "true" } } };

test("a git generator reads no commit that is not signed as the template's project demands", {
  skip: lackingGpg(),
}, async () => {
  await using ann = await createSigner("Ann <ann@example.com>");
  await using git = await createGitRepository({ "apps/sig-one/a.yaml": "{}" });
  await using place = await openSetWorld();
  const { kube } = place.world;
  const metadata = { name: "argocd-gpg-keys-cm", namespace: "argocd" };
  const ring = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [ann.keyId]: ann.publicKey } };
  await kube.apply(ring, { fieldManager: "test", force: true, signal: limit() });
  await kube.create(sketchProject("signed", { signatureKeys: [{ keyID: ann.keyId }] }), { signal: limit() });
  await kube.create(sketchProject("trusting"), { signal: limit() });
  const setOf = (name: string, project: string) => ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name, namespace: "argocd" },
    spec: {
      generators: [{ git: { repoURL: git.url, revision: "main", directories: [{ path: "apps/*" }] } }],
      template: {
        metadata: { name: `${name}-{{path.basename}}` },
        spec: {
          project,
          source: { repoURL: git.url, path: "{{path}}", targetRevision: "main" },
          destination: { name: "in-cluster", namespace: "x" },
        },
      },
    },
  });
  await place.create(setOf("trusting", "trusting"));
  await place.create(setOf("signed", "signed"));
  await place.untilNames("trusting-", ["trusting-sig-one"]);
  await place.untilSaid(
    "signed",
    /^ErrorOccurred=True .*GIT\/GPG: Failed verifying revision [0-9a-f]{40} by .*: unsigned/,
  );
  assert.deepEqual(await place.namesOf("signed-"), []);

  await git.git(...ann.flags, "commit", "-S", "--quiet", "--allow-empty", "-m", "signed");
  await place.change("signed", refresh);
  await place.untilNames("signed-", ["signed-sig-one"]);

  // What was made stays, and nothing comes of what nobody has signed.
  await git.commit({ "apps/sig-two/a.yaml": "{}" });
  await place.change("signed", refresh);
  await place.untilSaid("signed", /^ErrorOccurred=True .*unsigned/);
  assert.deepEqual(await place.namesOf("signed-"), ["signed-sig-one"]);

  const several = {
    policies: ["*", git.url].map((url) => ({ repos: [{ url }], gpg: { mode: "head", keys: [] } })),
  };
  await kube.patch(
    { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", namespace: "argocd", name: "signed" },
    { type: "merge", body: { spec: { sourceIntegrity: { git: several } } } },
    { signal: limit() },
  );
  await place.change("signed", refresh);
  await place.untilSaid("signed", /multiple \(2\) git source integrity policies found/);
});
