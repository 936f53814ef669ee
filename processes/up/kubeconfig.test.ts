import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readKubeconfig } from "@capstan/kube";
import { startCapstan, startEmbeddedCluster } from "@capstan/testkit";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-own-kubeconfig-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function writeOwn(folder: string, cluster: object, user: object): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "own",
    clusters: [{ name: "own", cluster }],
    users: [{ name: "me", user }],
    contexts: [{ name: "own", context: { cluster: "own", user: "me" } }],
  };
  const file = join(folder, "config");
  await writeFile(file, JSON.stringify(config));
  return file;
}

test("what is wrong with a kubeconfig is said in a line", async (t) => {
  const folder = await temporaryFolder(t);
  const up = (kubeconfig: string) => {
    const flags = ["--data", join(folder, "data"), "--port", "0", "--kubeconfig", kubeconfig];
    const { status, stderr } = spawnSync(process.execPath, [program, "up", ...flags], {
      encoding: "utf8",
      timeout: 60_000,
    });
    return { status, stderr };
  };
  const absent = join(folder, "none");
  assert.deepEqual(up(absent), {
    status: 1,
    stderr: `capstan up: kubeconfig: ENOENT: no such file or directory, open '${absent}'\n`,
  });
  const named = await writeOwn(
    folder,
    { server: "https://127.0.0.1:1", "certificate-authority": "ca.crt" },
    {},
  );
  const { status, stderr } = up(named);
  assert.equal(status, 1);
  assert.match(stderr, /^capstan up: cluster https:\/\/127\.0\.0\.1:1 is not available: ENOENT.*ca\.crt'\n$/);
});

test("a cluster with a kubeconfig of its own", async (t) => {
  const folder = await temporaryFolder(t);
  await using cluster = await startEmbeddedCluster();
  const start = (name: string, kubeconfig: string) =>
    startCapstan({ dataDir: join(folder, name), flags: ["--kubeconfig", kubeconfig, "--no-samples"] });

  await t.test("with files and a program beside it, as tools write them", async () => {
    const { server, caData = "" } = readKubeconfig(await readFile(cluster.kubeconfig, "utf8"));
    await writeFile(join(folder, "ca.crt"), caData);
    const apiVersion = "client.authentication.k8s.io/v1";
    const credential = { apiVersion, kind: "ExecCredential", status: { token: cluster.token } };
    await writeFile(join(folder, "login"), `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
    await chmod(join(folder, "login"), 0o755);
    const exec = { apiVersion, command: "./login", interactiveMode: "IfAvailable", provideClusterInfo: true };
    const own = await writeOwn(folder, { server, "certificate-authority": "ca.crt" }, { exec });
    await using first = await start("first", own);
    // By the copy of the kubeconfig in the data folder.
    const project = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      namespace: "argocd",
      name: "default",
    };
    assert.ok(await first.kube.get(project, AbortSignal.timeout(100_000)));
    await first.untilPrinted(/user +admin, password in /);
  });

  await t.test("where it has an admin already, up says that the password is another", async () => {
    await using second = await start("second", cluster.kubeconfig);
    await second.untilPrinted(
      /user +admin, with the password that Secret argocd\/argocd-secret had before; that in \S+second\/admin-password is another/,
    );
  });
});
