import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import type { Repository } from "@capstan/model";
import { readMessage, readRequest, routes } from "@capstan/wire";
import { validateRepository } from "./repository-handlers.ts";
import { forReading } from "./repository-kind.ts";

const route = routes.validateRepository;
const repo = "https://git.example/team/app.git";

/** With what a repository is tried. */
async function tried(request: object): Promise<Repository[]> {
  const repositories: Repository[] = [];
  const handler = validateRepository({
    settings: { current: readSettings([], []) },
    rights: { allows: () => true },
    repo: {
      testRepository: async ({ repository }: { repository: Repository }) => repositories.push(repository),
    } as never,
    kube: {} as never,
    live: {} as never,
    clock: {} as never,
    connections: {} as never,
    controlNamespace: "argocd",
    kind: forReading,
  });
  const user = { name: "ada", groups: [], issuer: "argocd" };
  await handler(request as never, { user, address: "", signal: AbortSignal.timeout(5000) });
  return repositories;
}

test("a repository is tried with all that Argo CD's clients say of it, by REST and gRPC", async () => {
  const query = `username=u&password=${encodeURIComponent("p&q")}&enableOci=true&type=helm`;
  const asked = readRequest(route, { path: { repo }, query, body: repo });
  assert.deepEqual(await tried(asked), [
    { url: repo, type: "oci", enableOci: true, username: "u", password: "p&q" },
  ]);
  const app = "githubAppID=7&githubAppInstallationID=8&githubAppPrivateKey=key";
  const issued = `${app}&gcpServiceAccountKey=json&useAzureWorkloadIdentity=true`;
  const [byIssued] = await tried(readRequest(route, { path: { repo }, query: issued, body: repo }));
  const { githubAppID, githubAppInstallationID, githubAppPrivateKey, gcpServiceAccountKey } = byIssued ?? {};
  assert.deepEqual([githubAppID, githubAppInstallationID, githubAppPrivateKey], ["7", "8", "key"]);
  assert.deepEqual([gcpServiceAccountKey, byIssued?.useAzureWorkloadIdentity], ["json", true]);
  const message = { repo, sshPrivateKey: "key", insecure: true, proxy: "http://proxy.example" };
  assert.deepEqual(await tried(readMessage(route, message)), [
    { url: repo, type: "git", sshPrivateKey: "key", insecure: true, proxy: "http://proxy.example" },
  ]);
});
