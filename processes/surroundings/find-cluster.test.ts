import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { UsageError } from "@capstan/cli/record";
import { readKubeconfig } from "@capstan/kube";
import { findCluster } from "./find-cluster.ts";

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
