import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { UsageError } from "@capstan/cli/record";
import { readKubeconfig } from "@capstan/kube";
import { findCluster, readServerOptions } from "./options.ts";

test("the cluster is the flag's, then KUBECONFIG's, then the Pod's, then the person's", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-access-"));
  try {
    const pod = join(dir, "account");
    const env = { HOME: dir, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
    assert.throws(() => findCluster(undefined, env, dir), UsageError);
    await writeFile(join(dir, "token"), "t");
    assert.deepEqual(findCluster(join(dir, "k"), env, dir), { file: join(dir, "k") });
    assert.throws(
      () => findCluster(undefined, { ...env, KUBECONFIG: join(dir, "none") }, dir),
      /none, which/,
    );
    const there = { ...env, KUBECONFIG: `${join(dir, "none")}:${join(dir, "token")}` };
    assert.deepEqual(findCluster(undefined, there, dir), { file: join(dir, "token") });
    const own = findCluster(undefined, env, dir);
    assert.ok("text" in own);
    assert.deepEqual(readKubeconfig(own.text, { folder: dir }), {
      server: "https://[fd00::1]:6443",
      caFile: join(dir, "ca.crt"),
      bearerTokenFile: join(dir, "token"),
    });
    assert.throws(() => findCluster(undefined, env, pod), UsageError, "no Pod");
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

const read = (flags: Parameters<typeof readServerOptions>[0]) =>
  readServerOptions(flags, { env: {}, kubeconfig: "/k", dataDir: "/data" });

test("the server runs no loops, and listens where it is told", () => {
  const options = read({ address: "::1", port: 1, rootpath: "argocd/", namespace: "ops" });
  const { controllers, samples, host, port, kubeconfig, place, namespace } = options;
  assert.deepEqual(
    { controllers, samples, host, port, kubeconfig, place, namespace },
    {
      ...{ controllers: false, samples: false, host: "::1", port: 1, kubeconfig: "/k", namespace: "ops" },
      place: { rootPath: "/argocd", base: "/argocd" },
    },
  );
});

test("a base alone is what a proxy takes away; two that differ are refused, and so is what is no path", () => {
  assert.deepEqual(read({ basehref: "/argocd/" }).place, { rootPath: "", base: "/argocd" });
  assert.deepEqual(read({ basehref: "/", rootpath: "/a/b" }).place, { rootPath: "/a/b", base: "/a/b" });
  assert.throws(() => read({ basehref: "/a", rootpath: "/b" }), /two paths/);
  for (const path of ['/"><script>', "/a/../b", "/a//b", "/a?b", "/ü", "/a;b", "/."])
    assert.throws(() => read({ rootpath: path }), /--rootpath: .* is no path/, path);
});
