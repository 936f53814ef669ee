import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { configMapText, sketchApplication, untilApplication } from "@capstan/testkit";
import { openPartsWorld, type PartProcess } from "./parts-world.ts";

const never = new AbortController().signal;
const answer = async (url: string): Promise<string> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  return `${response.status} ${(await response.text()).trim()}`;
};

/** Of its process alone: not of what it starts. */
async function residentMegabytes({ pid }: PartProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

test("each part is a program: two repo servers, the loops and the server bring a commit to the cluster, also when one repo server is killed", {
  timeout: 400_000,
}, async (t) => {
  await using world = await openPartsWorld({ "a/map.yaml": configMapText("map", "1") });
  const { cluster, repository } = world;
  const { servers, flags } = await world.startRepoServers(2);
  const [controller, sets, notifications] = await Promise.all(
    ["controller", "application-set", "notifications"].map((name) => world.start(name, flags)),
  );
  assert.ok(controller && sets && notifications);
  const parts = [...servers, controller, sets, notifications];
  for (const { url } of parts) {
    assert.equal(await answer(`${url}/healthz`), "200 ok");
    assert.equal(await answer(`${url}/readyz`), "200 ok");
    assert.match(await answer(`${url}/metrics`), /process_resident_memory_bytes/);
  }
  const list = { list: { elements: [{ name: "one" }, { name: "two" }] } };
  const { metadata, spec } = sketchApplication({ name: "{{name}}", repoURL: repository.url, path: "a" });
  const set = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "all", namespace: "argocd" },
    spec: {
      generators: [list],
      template: {
        metadata: { name: metadata.name },
        spec: { ...(spec as object), syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] } },
      },
    },
  };
  await cluster.kube.create(set, { signal: never });
  const isDone = ({ sync, health }: { sync: string; health: string }) =>
    sync === "Synced" && health === "Healthy";
  for (const name of ["one", "two"]) await untilApplication(cluster.kube, name, isDone);
  assert.match(await answer(`${controller.url}/metrics`), /argocd_app_info\{[^}]*name="one"/);
  const rendering = /"endpoint":"127.0.0.1:(\d+)"/.exec(controller.output())?.[1];
  const killed = servers.find((one) => one.output().includes(`"port":${rendering}`));
  assert.ok(killed);
  await killed.kill("SIGKILL");
  const commit = await repository.commit({ "a/map.yaml": configMapText("map", "2") });
  for (const name of ["one", "two"]) {
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name };
    const annotations = { "argocd.argoproj.io/refresh": "normal" };
    await cluster.kube.patch(ref, { type: "merge", body: { metadata: { annotations } } }, { signal: never });
    await untilApplication(cluster.kube, name, (app) => isDone(app) && app.revision === commit);
  }
  for (const part of parts)
    if (part !== killed) t.diagnostic(`${await residentMegabytes(part)} MB ${part.url}`);
  for (const part of parts.filter((one) => one !== killed)) {
    await part.kill("SIGTERM");
    assert.equal(part.ended(), 0, part.output().slice(-2_000));
  }
});

test("a repo server whose callers nobody asks for anything does not start; a caller that knows it by nothing neither", {
  timeout: 100_000,
}, async () => {
  await using world = await openPartsWorld({ "map.yaml": configMapText("map") });
  await assert.rejects(world.start("repo-server", ["--port", "0"]), /--token-file FILE/);
  await assert.rejects(
    world.start("controller", ["--repo-server", "127.0.0.1:1"]),
    /nothing says that it is no other one/,
  );
  await assert.rejects(
    world.start("controller", ["--sharding-method", "legacy"]),
    /unknown flag|sharding-method/,
  );
});
