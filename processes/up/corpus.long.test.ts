import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseManifests } from "@capstan/model";
import {
  type CapstanProcess,
  type GitServer,
  type HostedRepository,
  isSettled,
  sketchApplication,
  startCapstan,
  startGitServer,
  untilApplication,
} from "@capstan/testkit";

const corpus = join(import.meta.dirname, "..", "..", "..", "shared", "corpus");
const skip = existsSync(corpus) ? false : `no corpus at ../shared/corpus: real repositories not tried`;

/** Served over HTTP: a folder of the machine is shown to the repo server only where an application names it. */
async function repositoryOf(git: GitServer, folder: string, branch: string): Promise<HostedRepository> {
  const repository = await git.createRepository(folder);
  await cp(join(corpus, folder), repository.dir, { recursive: true });
  await repository.commit({}, folder);
  if (branch !== "main") await repository.git("branch", "--move", branch);
  return repository;
}

/** Points the public URLs at the local copies, as `git config url.<base>.insteadOf` does for a person. */
function insteadOf(rules: Readonly<Record<string, string>>): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: `${Object.keys(rules).length}` };
  Object.entries(rules).forEach(([from, to], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = `url.${to}.insteadOf`;
    env[`GIT_CONFIG_VALUE_${index}`] = from;
  });
  return env;
}

async function applyFile(capstan: CapstanProcess, file: string): Promise<void> {
  const signal = AbortSignal.timeout(100_000);
  for (const manifest of parseManifests(await readFile(file, "utf8"), { file }))
    await capstan.kube.apply(manifest, { fieldManager: "test", force: true, signal });
}

test("the applications of kubernetes-coffee-image reach the state that Argo CD gives them", {
  skip,
}, async (t) => {
  const folder = "kubernetes-coffee-image";
  await using git = await startGitServer();
  const repository = await repositoryOf(git, folder, "main");
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-corpus-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const env = insteadOf({ [`https://github.com/QJoly/${folder}`]: repository.url });
  await using capstan = await startCapstan({ dataDir, flags: ["--no-samples"], env });
  for (const name of ["evil", "micro-service", "multiversions", "simple", "simple-helm-registry"])
    await applyFile(capstan, join(corpus, folder, "argocd-applications", `${name}.yaml`));
  for (const name of ["evil", "micro-services", "simple-app"])
    await untilApplication(capstan.kube, name, isSettled);
  // No automation is asked for: it stays out of sync until somebody syncs it.
  await untilApplication(
    capstan.kube,
    "versioned-coffee",
    ({ sync, health }) => sync === "OutOfSync" && health === "Missing",
  );
  const remote = await untilApplication(
    capstan.kube,
    "simple-app-helm-registry",
    ({ conditions }) => conditions.length > 0,
  );
  assert.equal(remote.sync, "Unknown");
  assert.match(remote.conditions[0]?.message ?? "", /rubxkube\.github\.io\/charts/);
});

test("the app of apps of argocd-example-apps reaches the state that Argo CD gives it", {
  skip,
}, async (t) => {
  const folder = "argocd-example-apps";
  await using git = await startGitServer();
  const repository = await repositoryOf(git, folder, "master");
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-corpus-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const url = `https://github.com/argoproj/${folder}`;
  await using capstan = await startCapstan({
    dataDir,
    flags: ["--no-samples"],
    env: insteadOf({ [url]: repository.url }),
  });
  const parent = sketchApplication({
    name: "apps",
    repoURL: url,
    path: "apps",
    source: { targetRevision: "master" },
    destination: { server: "https://kubernetes.default.svc", namespace: "argocd" },
  });
  await capstan.kube.create(parent, { fieldManager: "test", signal: AbortSignal.timeout(100_000) });
  await untilApplication(capstan.kube, "apps", ({ sync }) => sync === "Synced");
  const healthy = [
    "guestbook",
    "jsonnet-guestbook",
    "jsonnet-guestbook-tla",
    "helm-guestbook",
    "kustomize-guestbook",
    "helm-hooks",
    "pre-post-sync",
    "sync-waves",
    "sock-shop",
  ];
  for (const name of healthy) await untilApplication(capstan.kube, `example.${name}`, isSettled);
  for (const name of ["kasane", "kustomized-helm", "nix"]) {
    const view = await untilApplication(
      capstan.kube,
      `example.plugin-${name}`,
      ({ conditions }) => conditions.length > 0,
    );
    assert.equal(view.sync, "Unknown");
  }
  const remote = await untilApplication(
    capstan.kube,
    "example.helm-dependency",
    ({ conditions }) => conditions.length > 0,
  );
  assert.match(remote.conditions[0]?.message ?? "", /https?:\/\//);
});
