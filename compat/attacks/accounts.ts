import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CapstanProcess, eventually, type GitServer } from "@capstan/testkit";
import type { Places } from "./attack.ts";

export const passwords = {
  alice: "alice's long password",
  bob: "bob's long password",
  carol: "carol's long password",
} as const;

const inCluster = "https://kubernetes.default.svc";
const policy = ["alice team", "bob rival"]
  .map((pair) => pair.split(" "))
  .flatMap(([account, project]) => [
    `p, role:${project}, applications, *, ${project}/*, allow`,
    `p, role:${project}, applicationsets, *, ${project}/*, allow`,
    `p, role:${project}, logs, get, ${project}/*, allow`,
    `p, role:${project}, repositories, *, ${project}/*, allow`,
    `p, role:${project}, clusters, *, ${project}/*, allow`,
    `p, role:${project}, exec, create, ${project}/*, allow`,
    `p, role:${project}, extensions, invoke, attacked, allow`,
    `p, role:${project}, projects, get, ${project}, allow`,
    `g, ${account}, role:${project}`,
  ])
  .concat([
    "p, role:syncer, applications, get, team/*, allow",
    "p, role:syncer, applications, sync, team/*, allow",
    "g, carol, role:syncer",
  ])
  .join("\n");

/** Service accounts act in namespaces team-acting-… alone. */
const impersonation = {
  "application.sync.impersonation.enabled": "true",
  "application.sync.impersonation.enforced": "false",
};

/** That an operator may write, past the API's checks of a project. */
const actingAccounts = {
  "team-acting-less": "nobody",
  "team-acting:*": "deployer",
  "team-acting-masters": "system:masters",
  "team-acting-header": "deployer\r\nImpersonate-Group: system:masters",
  "team-acting-way": "../../rival-a:default",
};

interface Needs {
  capstan: CapstanProcess;
  git: GitServer;
  at: Places;
  plant(place: string): string;
}

/** Projects, accounts with their rights, and what is rival's: a Secret, a repository with a password. */
export async function fillWorld({ capstan, git, at, plant }: Needs): Promise<void> {
  const { kube } = capstan;
  const signal = AbortSignal.timeout(100_000);
  const options = { fieldManager: "attacks", force: true, signal };
  const apply = (object: object) => kube.apply(manifest(object), options);
  for (const name of ["team", "rival"]) await apply(project(name, at));
  const accounts = Object.keys(passwords).map((name) => [`accounts.${name}`, "login, apiKey"]);
  await apply(config("argocd-cm", { ...Object.fromEntries(accounts), ...impersonation }));
  await apply(config("argocd-rbac-cm", { "policy.csv": policy }));
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "rival-a" } });
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
  await apply(secret("rival-a", "treasure", { value: plant("a Secret in rival-a") }));
  await apply({
    ...config("plans", { value: plant("a ConfigMap in rival-a") }),
    metadata: { name: "plans", namespace: "rival-a" },
  });
  await git.createRepository("rival-app", {
    "config.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: rival\ndata:\n  value: ${plant("rival's repository")}\n`,
  });
  await apply({
    ...secret("argocd", "repo-rival", {
      type: "git",
      project: "rival",
      url: `${at.gitUrl}/rival-app.git`,
      username: "rival",
      password: plant("the password of rival's repository"),
    }),
    metadata: {
      name: "repo-rival",
      namespace: "argocd",
      labels: { "argocd.argoproj.io/secret-type": "repository" },
    },
  });
  await setPasswords(capstan);
}

async function setPasswords(capstan: CapstanProcess): Promise<void> {
  const currentPassword = (await readFile(join(capstan.dataDir, "admin-password"), "utf8")).trim();
  for (const [name, newPassword] of Object.entries(passwords))
    await eventually(
      async () => {
        const body = { name, currentPassword, newPassword };
        const { status } = await capstan.api("PUT", "/api/v1/account/password", body);
        return status === 200 || undefined;
      },
      { signal: AbortSignal.timeout(100_000), describe: () => `${name} gets no password` },
    );
}

function project(name: string, { gitUrl, chartsUrl }: Places): object {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name, namespace: "argocd" },
    spec: {
      // Whatever port it has: an attacker's own Helm repository.
      sourceRepos: [`${gitUrl}/${name}-*`, chartsUrl, `http://127.0.0.1:*/${name}-charts`],
      destinations: [{ server: inCluster, namespace: `${name}-*` }],
      // Whoever may see an application sees what its namespace holds beside it, as far as the project permits it.
      orphanedResources: { warn: true },
      clusterResourceWhitelist: [{ group: "", kind: "Namespace", name: `${name}-*` }],
      destinationServiceAccounts: Object.entries(actingAccounts).map(
        ([namespace, defaultServiceAccount]) => ({ server: "*", namespace, defaultServiceAccount }),
      ),
    },
  };
}

function config(name: string, data: Record<string, string>): object {
  const metadata = { name, namespace: "argocd", labels: { "app.kubernetes.io/part-of": "argocd" } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

function secret(namespace: string, name: string, stringData: Record<string, string>): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData };
}

function manifest(object: object) {
  return object as Parameters<CapstanProcess["kube"]["apply"]>[0];
}
