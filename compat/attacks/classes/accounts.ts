/** What an account does beyond its rights. */
import assert from "node:assert/strict";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld, Who } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { asks } from "../request.ts";

/** Without the name by which the two paths differ. */
function plain(body: unknown, path: string, other: string): string {
  const others = new Set(other.split("/"));
  const name = path.split("/").find((part) => !others.has(part)) ?? "";
  return JSON.stringify(body).replaceAll(decodeURIComponent(name), "…");
}

/** Both questions must have one answer, to the letter but for the name that was asked. */
export function tellsNothing(who: Who, paths: readonly [string, string]): Attack["play"] {
  return async (world) => {
    const [there, absent] = await Promise.all(paths.map((path) => world.ask(who, `GET ${path}`)));
    assert.equal(there?.status, absent?.status);
    assert.equal(plain(there?.body, paths[0], paths[1]), plain(absent?.body, paths[1], paths[0]));
    await world.assertUnharmed([JSON.stringify(there?.body)]);
  };
}

const secretText = "half-a-secret-that-is-no-base64%%";

async function shownSecret(world: AttackWorld): Promise<void> {
  const value = "the-value-of-a-secret";
  const name = "shown-secret";
  await deploys(name, {
    files: () => ({
      "app/secret.yaml": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\nstringData:\n  value: ${value}\n`,
    }),
    ends: { harmless: true },
  })(world);
  const where = `namespace=team-${name}&resourceName=own&version=v1&kind=Secret&group=`;
  const paths = [
    `/api/v1/applications/${name}/resource?${where}`,
    `/api/v1/applications/${name}/manifests`,
    `/api/v1/applications/${name}/managed-resources`,
    `/api/v1/applications/${name}/server-side-diff`,
  ];
  for (const path of paths) {
    const text = JSON.stringify((await world.ask("carol", `GET ${path}`)).body);
    for (const secret of [value, Buffer.from(value).toString("base64")])
      assert.ok(!text.includes(secret), `${path} shows the Secret's value: ${text}`);
  }
}

export const attacks: readonly Attack[] = [
  {
    id: "accounts/which-applications-exist",
    threat:
      "An account asks for a foreign application and for one that is not there, and compares the answers",
    heldBy: "the same refusal for both",
    advisories: ["CVE-2022-41354"],
    play: tellsNothing("bob", ["/api/v1/applications/which-exist", "/api/v1/applications/which-absent"]),
  },
  {
    id: "accounts/which-clusters-exist",
    threat: "An account asks for a foreign cluster and for one that is not there, and compares the answers",
    heldBy: "the same refusal for both",
    advisories: ["CVE-2024-36106"],
    play: tellsNothing("carol", [
      "/api/v1/clusters/https%3A%2F%2Fkubernetes.default.svc",
      "/api/v1/clusters/https%3A%2F%2Fabsent.example",
    ]),
  },
  {
    id: "accounts/which-projects-exist",
    threat: "An account asks for a foreign project and for one that is not there, and compares the answers",
    heldBy: "the same refusal for both",
    play: tellsNothing("alice", ["/api/v1/projects/rival", "/api/v1/projects/absent"]),
  },
  {
    id: "accounts/settings-without-an-account",
    threat: "Somebody without an account reads the settings",
    heldBy: "what is open is what the login page needs",
    advisories: ["CVE-2024-37152"],
    play: async (world) => {
      const { body } = await world.ask("nobody", "GET /api/v1/settings");
      const text = JSON.stringify(body);
      for (const word of [
        "resourceOverrides",
        "kustomizeOptions",
        "configManagementPlugins",
        "passwordPattern",
      ])
        assert.ok(!text.includes(`"${word}":{`), `${word} is shown: ${text}`);
      await world.assertUnharmed([text]);
    },
  },
  {
    id: "accounts/a-cluster-by-its-escaped-address",
    threat:
      "An account with rights on clusters of its project changes another one, its address escaped twice",
    heldBy: "the right is asked on what is stored under the decoded address",
    advisories: ["CVE-2023-23947"],
    play: asks({
      who: "alice",
      method: "PUT",
      path: () => "/api/v1/clusters/https%253A%252F%252Fkubernetes.default.svc",
      body: () => ({ server: "https://kubernetes.default.svc", name: "mine", project: "team", config: {} }),
      status: [400, 403, 404],
    }),
  },
  {
    id: "accounts/a-program-of-a-cluster",
    threat: "An account that may add clusters to its project names a program that fetches their credentials",
    heldBy: "programs of clusters are the operator's: by the API only who may change every cluster names one",
    advisories: ["CVE-2022-24817"],
    play: async (world) => {
      const server = "https://127.0.0.1:9";
      const config = {
        execProviderConfig: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "/bin/sh",
          args: ["-c", `id > ${world.at.proof}`],
        },
      };
      const body = { server, name: "mine", project: "team", config };
      const { status } = await world.ask("alice", "POST /api/v1/clusters", { body });
      const application = { destination: { server, namespace: "team-program" } };
      await deploys("program-of-cluster", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        application: () => ({ spec: application }),
        ends: { either: true },
      })(world);
      assert.ok(status === 403 || status === 400, `the cluster was taken: ${status}`);
    },
  },
  {
    id: "accounts/details-of-a-project",
    threat: "An account reads its project's details, which list repositories and clusters",
    heldBy: "credentials are left out of every answer",
    advisories: ["CVE-2025-55190"],
    play: asks({ who: "alice", method: "GET", path: () => "/api/v1/projects/team/detailed", status: [200] }),
  },
  {
    id: "accounts/writing-what-is-only-read",
    threat: "An account that may read its project widens it",
    heldBy: "each route names the right it needs",
    advisories: ["CVE-2022-24768"],
    play: asks({
      who: "alice",
      method: "PUT",
      path: () => "/api/v1/projects/team",
      body: () => ({ project: { metadata: { name: "team" }, spec: { sourceRepos: ["*"] } } }),
      status: [403],
    }),
  },
  {
    id: "accounts/local-manifests",
    threat: "An account that may sync, and not override, syncs manifests of its own",
    heldBy: "the right override is asked for manifests with a sync",
    advisories: ["CVE-2023-50726"],
    play: async (world) => {
      await deploys("local-manifests", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const body = {
        manifests: ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"smuggled"}}'],
      };
      const answer = await world.ask("carol", "POST /api/v1/applications/local-manifests/sync", { body });
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
    },
  },
  {
    id: "accounts/other-revisions-by-a-sync",
    threat: "An account that may sync, and not override, names another source with its sync",
    heldBy: "the right override is asked for another source",
    play: async (world) => {
      await deploys("other-source", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const answer = await world.ask("carol", "PATCH /api/v1/applications/other-source", {
        body: { patch: '{"spec":{"project":"default"}}', patchType: "merge" },
      });
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
    },
  },
  {
    id: "accounts/a-secret-that-is-shown",
    threat: "An account that may see an application reads the values of its Secrets",
    heldBy: "values of Secrets are masked in every answer",
    advisories: ["CVE-2026-42880", "CVE-2023-40029"],
    play: shownSecret,
  },
  {
    id: "accounts/a-secret-in-an-error",
    threat: "A Secret that the API server refuses is shown in the error",
    heldBy: "errors about Secrets are masked",
    advisories: ["CVE-2025-23216"],
    play: async (world) => {
      const name = "secret-in-error";
      await deploys(name, {
        files: () => ({
          "app/s.yaml": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\ndata:\n  value: "${secretText}"\n`,
        }),
        ends: { refused: /./ },
      })(world);
      const { body } = await world.ask("carol", `GET /api/v1/applications/${name}`);
      const said = JSON.stringify(body);
      assert.ok(!said.includes(secretText), `the error shows the value: ${said}`);
      assert.ok(!world.capstan.output().includes(secretText), "the log shows the value");
    },
  },
  {
    id: "accounts/script-in-a-repository-address",
    threat: "An application's repository address is script for whoever clicks on it",
    heldBy:
      "addresses of repositories are those of git, Helm and OCI, and links in the page lead to http alone",
    advisories: ["CVE-2025-47933"],
    play: deploys("script-address", {
      source: () => ({ repoURL: "javascript:alert(document.cookie)//team-x.git" }),
      ends: { refused: /./ },
    }),
  },
  {
    id: "accounts/a-project-role-for-oneself",
    threat: "An account makes a token of a project's role without the right to",
    heldBy: "the right to update the project is asked",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/projects/team/roles/any/token",
      body: () => ({ expiresIn: 0 }),
      status: [403, 404],
    }),
  },
  {
    id: "accounts/a-password-of-somebody-else",
    threat: "An account sets another account's password",
    heldBy: "the right accounts, update is asked for any account but one's own",
    play: asks({
      who: "alice",
      method: "PUT",
      path: () => "/api/v1/account/password",
      body: () => ({
        name: "admin",
        currentPassword: "alice's long password",
        newPassword: "hers now, all of it",
      }),
      status: [403],
    }),
  },
  {
    id: "accounts/rights-that-come-back",
    threat: "An account's rights are taken away, and its open token goes on",
    heldBy: "rights are asked anew with each request, from the settings as they are",
    play: async (world) => {
      const { kube } = world.capstan;
      const rbac = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-rbac-cm" };
      const signal = AbortSignal.timeout(100_000);
      const before = await kube.get(rbac, signal);
      const data = before?.data;
      const policy =
        typeof data === "object" && data !== null && "policy.csv" in data ? String(data["policy.csv"]) : "";
      const patch = (text: string) =>
        kube.patch(rbac, { type: "merge", body: { data: { "policy.csv": text } } }, { signal });
      await patch(`${policy}\np, carol, projects, get, rival, allow`);
      const path = "GET /api/v1/projects/rival";
      const until = (status: number) =>
        eventually(async () => (await world.ask("carol", path)).status === status || undefined, {
          signal,
          describe: () => `carol's right does not become ${status}`,
        });
      await until(200);
      await patch(policy);
      await until(403);
    },
  },
];
