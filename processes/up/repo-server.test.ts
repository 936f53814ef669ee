import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  readApplications,
  repoServersOf,
  sketchApplication,
  startCapstan,
} from "@capstan/testkit";

const limitMs = 250_000;
const names = ["one", "two", "three", "four", "five"];
const timeLimit = () => AbortSignal.timeout(limitMs);

function files(value: string): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [`${name}/a.yaml`, `${configMapText(name)}data:\n  value: "${value}"\n`]),
  );
}

test("the repo server is a process of its own, which is killed often and comes back", {
  timeout: limitMs,
}, async (t) => {
  await using git = await createGitRepository(files("first"));
  await using capstan = await startCapstan({ flags: ["--no-samples"] });
  const { kube, status } = capstan;
  const onlyOne = async (): Promise<number> =>
    eventually(async () => (await repoServersOf(status.pid))[0], {
      signal: timeLimit(),
      describe: () => `no repo server comes back:\n${capstan.output()}`,
    });
  const allAt = async (revision: string): Promise<void> => {
    await eventually(
      async () => {
        const views = await readApplications(kube, timeLimit());
        return views.every((view) => isSettled(view) && view.revision === revision) || undefined;
      },
      { signal: timeLimit(), describe: () => `not all are at ${revision}:\n${capstan.output()}` },
    );
  };
  for (const name of names)
    await kube.create(sketchApplication({ name, repoURL: git.url, path: name }), { signal: timeLimit() });
  await allAt(await git.git("rev-parse", "HEAD"));

  await t.test(
    "in a sandbox it sees neither the data of up nor the home, and has no capability",
    {
      skip: capstan.output().includes("without a sandbox") && "there is no sandbox here",
    },
    async () => {
      const root = `/proc/${await onlyOne()}/root`;
      assert.ok(existsSync(`${root}${capstan.dataDir}/render`));
      for (const hidden of ["admin-password", "kubeconfig", "cluster", "status.json"]) {
        assert.ok(existsSync(`${capstan.dataDir}/${hidden}`), hidden);
        assert.ok(!existsSync(`${root}${capstan.dataDir}/${hidden}`), hidden);
      }
      const own = await readFile(`${root.slice(0, -5)}/status`, "utf8");
      for (const [, name = "", bits = "1"] of own.matchAll(/^(Cap(?:Prm|Eff|Bnd|Amb)):\s*(\S+)$/gm))
        assert.equal(BigInt(`0x${bits}`), 0n, name);
      for (const kind of ["mnt", "pid", "ipc", "uts"])
        assert.notEqual(
          await readlink(`${root.slice(0, -5)}/ns/${kind}`),
          await readlink(`/proc/self/ns/${kind}`),
        );
    },
  );

  for (const round of [1, 2, 3, 4]) {
    const revision = await git.commit(files(`${round}`));
    const body = { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } };
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
    const asked = names.map((name) =>
      kube.patch({ ...ref, name }, { type: "merge", body }, { signal: timeLimit() }),
    );
    process.kill(await onlyOne(), "SIGKILL");
    await Promise.all(asked);
    await allAt(revision);
  }
  const views = await readApplications(kube, timeLimit());
  assert.deepEqual(
    views.flatMap(({ conditions }) => conditions),
    [],
  );

  const last = await onlyOne();
  await capstan.kill("SIGKILL");
  await eventually(async () => !existsSync(`/proc/${last}`) || undefined, {
    signal: timeLimit(),
    describe: () => "the repo server outlives the process that started it",
  });
});

test("where the home cannot be written the data folder has the cache, and that is said once", {
  timeout: limitMs,
}, async () => {
  await using git = await createGitRepository({
    "a/kustomization.yaml": "resources: [a.yaml]\n",
    "a/a.yaml": configMapText("of-kustomize"),
  });
  const env = { HOME: process.execPath, CAPSTAN_CACHE: "", XDG_CACHE_HOME: "" };
  await using capstan = await startCapstan({ flags: ["--no-samples"], env });
  const application = sketchApplication({ name: "a", repoURL: git.url, path: "a" });
  await capstan.kube.create(application, { signal: timeLimit() });
  await eventually(
    async () => (await readApplications(capstan.kube, timeLimit())).every(isSettled) || undefined,
    { signal: timeLimit(), describe: () => `it is not settled:\n${capstan.output()}` },
  );
  const said = capstan.output().match(/the cache folder cannot be written.*/g) ?? [];
  assert.equal(said.length, 1, capstan.output());
  assert.ok(existsSync(`${capstan.dataDir}/cache`));
});
