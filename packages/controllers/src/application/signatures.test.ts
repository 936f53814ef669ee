import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  createSigner,
  isSettled,
  lackingGpg,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  requestSync,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const cascade = "resources-finalizer.argocd.argoproj.io";

async function demand({ kube }: SmallWorld, spec: Record<string, unknown>): Promise<void> {
  const ref = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  await kube.patch(ref, { type: "merge", body: { spec } }, { signal: limit() });
}

async function addKeys({ kube }: SmallWorld, data: Record<string, string>): Promise<void> {
  const metadata = { name: "argocd-gpg-keys-cm", namespace: "argocd" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await kube.apply(object, { fieldManager: "test", force: true, signal: limit() });
}

test("a commit that is not signed as the project demands is compared and not synced, until it is, or no longer demanded", {
  skip: lackingGpg(),
}, async () => {
  await using ann = await createSigner("Ann <ann@example.com>");
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  const { kube } = world;
  const one = configMapRef("web", "one");
  const says = (problem: string) => (view: { conditions: readonly { type: string; message: string }[] }) =>
    view.conditions.some(
      ({ type, message }) =>
        type === "ComparisonError" &&
        message.startsWith("GIT/GPG: Failed verifying") &&
        message.includes(problem),
    );
  await demand(world, { signatureKeys: [{ keyID: ann.keyId }] });
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  await kube.create({ ...app, metadata: { ...app.metadata, finalizers: [cascade] } }, { signal: limit() });
  await untilApplication(
    kube,
    "web",
    (view) => says("unsigned (key_id=)")(view) && view.sync === "OutOfSync",
  );
  await requestSync(world, "web");
  const refused = await untilApplication(kube, "web", ({ phase }) => phase === "Error");
  assert.match(refused.message, /GIT\/GPG: Failed verifying revision [0-9a-f]{40} by .*: unsigned/);
  await requestSync(world, "web", { manifests: [JSON.stringify({ apiVersion: "v1", kind: "ConfigMap" })] });
  await untilApplication(kube, "web", ({ message }) => /GIT\/GPG|Cannot use local manifests/.test(message));
  assert.equal(await readObject(world, one), undefined);

  await git.git(...ann.flags, "commit", "-S", "--quiet", "--allow-empty", "-m", "signed");
  await refresh(world, "web");
  await untilApplication(kube, "web", says(`signed with key not in keyring (key_id=${ann.keyId})`));
  // As argocd gpg add: nobody asks for a refresh.
  await addKeys(world, { [ann.keyId]: ann.publicKey });
  await untilApplication(kube, "web", isSettled);

  const hook = "metadata:\n  annotations: {argocd.argoproj.io/hook: PreDelete}\n";
  await git.commit({
    "app/two.yaml": configMapText("two"),
    "app/hook.yaml": configMapText("hook").replace("metadata:\n", hook),
  });
  await refresh(world, "web");
  await untilApplication(kube, "web", says("unsigned"));
  assert.equal(await readObject(world, configMapRef("web", "two")), undefined);
  await demand(world, {
    sourceIntegrity: { git: { policies: [{ repos: [{ url: "*" }], gpg: { mode: "none" } }] } },
  });
  await untilApplication(kube, "web", isSettled);
  await demand(world, { sourceIntegrity: null, signatureKeys: [{ keyID: "0123456789ABCDEF" }] });
  await untilApplication(kube, "web", says("unsigned"));
  await kube.delete(applicationRef("web"), { signal: limit() });
  await untilApplication(kube, "web", ({ conditions }) =>
    conditions.some(({ type, message }) => type === "DeletionError" && /hooks of .*GIT\/GPG/s.test(message)),
  );
  assert.equal(await readObject(world, configMapRef("web", "hook")), undefined);
  await demand(world, { signatureKeys: null });
  await untilObject(world, one, (object) => object === undefined);
});
