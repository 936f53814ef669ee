import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startCluster } from "@capstan/cluster";
import { createKubeClient } from "@capstan/kube";
import {
  configMapRef,
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  openSmallWorld,
  readObject,
  realClock,
  sketchApplication,
  untilApplication,
} from "./index.ts";

const signal = AbortSignal.timeout(60_000);

test("a cluster from a cluster Secret is deployed to over HTTPS, by name, and lost when its Secret goes", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-second-"));
  await using second = await startCluster({ dataDir, clock: realClock });
  try {
    const { url } = await second.listen({ host: "127.0.0.1", port: 0 });
    await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
    await using world = await openSmallWorld();
    const config = {
      bearerToken: second.adminToken,
      tlsClientConfig: { caData: Buffer.from(second.caCertificate()).toString("base64") },
    };
    const labels = { "argocd.argoproj.io/secret-type": "cluster" };
    const metadata = { name: "east", namespace: "argocd", labels };
    const stringData = { server: url, name: "east", config: JSON.stringify(config) };
    await world.kube.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal });
    const destination = { name: "east", namespace: "web" };
    const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", destination });
    await world.kube.create(app, { signal });
    await untilApplication(world.kube, "web", isSettled);
    const kube = createKubeClient({
      transport: (request) => second.handle(request),
      userAgent: "test",
      clock: realClock,
    });
    assert.ok(await kube.get(configMapRef("web", "one"), signal));
    assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
    await kube.delete(configMapRef("web", "one"), { signal });
    const healed = () => kube.get(configMapRef("web", "one"), signal);
    await eventually(healed, { signal, describe: () => "drift over there is not healed" });
    await untilApplication(world.kube, "web", isSettled);
    await world.kube.delete(
      { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "east" },
      { signal },
    );
    const lost = await untilApplication(world.kube, "web", ({ conditions }) => conditions.length > 0);
    assert.match(lost.conditions[0]?.message ?? "", /there is no cluster "east"/);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
