import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  createSigner,
  eventually,
  lackingGpg,
  sketchApplication,
  sketchProject,
} from "@capstan/testkit";
import { openApiWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(60_000);

test("beside a commit stands what its signature is worth to the application's project, where that demands one", {
  skip: lackingGpg(),
}, async () => {
  await using ann = await createSigner("Ann <ann@example.com>");
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await git.git(...ann.flags, "commit", "-S", "--quiet", "--allow-empty", "-m", "signed");
  const signed = await git.git("rev-parse", "HEAD");
  const unsigned = await git.git("rev-parse", "HEAD~1");
  await using api = await openApiWorld();
  const { kube, settings } = api.world;
  const ring = await api.request("POST", "/api/v1/gpgkeys", { body: { keyData: ann.publicKey } });
  assert.equal(ring.status, 200);
  await eventually(() => (settings.current.general.keyring?.length ?? 0) > 0 || undefined, {
    signal: limit(),
    describe: () => "the key is not known",
  });
  await kube.create(sketchProject("demanding", { signatureKeys: [{ keyID: ann.keyId }] }), {
    signal: limit(),
  });
  for (const [name, project] of [
    ["demanded", "demanding"],
    ["plain", "default"],
  ] as const)
    await kube.create(sketchApplication({ name, repoURL: git.url, path: "app", project }), {
      signal: limit(),
    });
  const infoOf = (app: string, revision: string) =>
    eventually(
      async () => {
        const { status, body } = await api.request(
          "GET",
          `/api/v1/applications/${app}/revisions/${revision}/metadata`,
        );
        return status === 200 ? { says: Object(body).signatureInfo, author: Object(body).author } : undefined;
      },
      { signal: limit(), describe: () => `nothing is said of ${revision}` },
    );
  assert.equal((await infoOf("demanded", signed)).says, `Good signature with key ${ann.keyId}`);
  assert.match((await infoOf("demanded", unsigned)).says, /: unsigned \(key_id=\)$/);
  const plain = await infoOf("plain", signed);
  assert.ok(plain.author);
  assert.equal(plain.says, undefined);
});
