import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { httpTransport, readKubeconfig } from "@capstan/kube";
import {
  type EmbeddedClusterProcess,
  lackingRealCluster,
  lackingRealVault,
  type RealCluster,
  type RealVault,
  realClock,
  startEmbeddedCluster,
  startRealCluster,
  startRealVault,
} from "@capstan/testkit";
import { asRoot, newTokens, oneValue } from "./fill.ts";

const skip = lackingRealVault();
const path = "secret/data/app/web";
const address = `${path}#password`;

/** A secret, a policy that lets it be read, and a way in at a mount. */
async function startVault(type: string, mount = type): Promise<RealVault> {
  const vault = await startRealVault();
  await vault.ask(`POST ${path}`, { data: { password: "one" } });
  const policy = 'path "secret/data/app/*" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/app", { policy });
  await vault.ask(`POST sys/auth/${mount}`, { type });
  return vault;
}

test("AppRole, at its own mount and another", { skip }, async () => {
  await using vault = await startVault("approle", "team/roles");
  const at = "auth/team/roles/role/web";
  await vault.ask(`POST ${at}`, { token_policies: ["app"] });
  const { data: role } = await vault.ask(`GET ${at}/role-id`);
  const { data: secret } = await vault.ask(`POST ${at}/secret-id`, {});
  const AVP_ROLE_ID: string = Object(role).role_id;
  const AVP_SECRET_ID: string = Object(secret).secret_id;
  const own = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID, AVP_SECRET_ID };
  assert.equal(await oneValue({ ...own, AVP_MOUNT_PATH: "auth/team/roles" }, address), "one");
  await assert.rejects(oneValue(own, address), /Vault's login at auth\/approle: permission denied$/);
  await assert.rejects(
    oneValue({ ...own, AVP_MOUNT_PATH: "auth/team/roles", AVP_SECRET_ID: "other" }, address),
    /Vault's login at auth\/team\/roles: Vault answers 400: invalid role or secret ID$/,
  );
  await vault.ask(`POST ${at}/secret-id/destroy`, { secret_id: AVP_SECRET_ID });
  await assert.rejects(
    oneValue({ ...own, AVP_MOUNT_PATH: "auth/team/roles" }, address),
    /Vault's login at auth\/team\/roles: Vault answers 400: invalid role or secret ID$/,
  );
});

test("a name and a password", { skip }, async () => {
  await using vault = await startVault("userpass");
  await vault.ask("POST auth/userpass/users/ada.l", { password: "p&ss w\u00f6rd", token_policies: ["app"] });
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "userpass", AVP_USERNAME: "ada.l" };
  assert.equal(await oneValue({ ...env, AVP_PASSWORD: "p&ss w\u00f6rd" }, address), "one");
  await assert.rejects(
    oneValue({ ...env, AVP_PASSWORD: "wrong-one" }, address),
    (error: Error) =>
      /Vault's login at auth\/userpass: Vault answers 400: invalid username or password$/.test(
        error.message,
      ) && !error.message.includes("wrong-one"),
  );
});

test("GitHub is no way into OpenBao: what it says where nothing is mounted", { skip }, async () => {
  await using vault = await startVault("userpass");
  const env = { VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "github", AVP_GITHUB_TOKEN: "ghp_x" };
  await assert.rejects(oneValue(env, address), /Vault's login at auth\/github: permission denied$/);
});

test("a namespace's own secrets and ways in", { skip }, async () => {
  await using vault = await startVault("userpass");
  await vault.ask("POST sys/namespaces/team");
  const namespace = "team";
  await vault.ask("POST sys/mounts/secret", { type: "kv", options: { version: "2" } }, { namespace });
  await vault.ask(`POST ${path}`, { data: { password: "of the team" } }, { namespace });
  const policy = 'path "secret/data/app/*" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/app", { policy }, { namespace });
  await vault.ask("POST sys/auth/userpass", { type: "userpass" }, { namespace });
  const user = { password: "p", token_policies: ["app"] };
  await vault.ask("POST auth/userpass/users/ada", user, { namespace });
  const root = asRoot(vault);
  assert.equal(await oneValue({ ...root, VAULT_NAMESPACE: "team" }, address), "of the team");
  assert.equal(await oneValue(root, `team/${address}`), "of the team");
  assert.equal(await oneValue(root, address), "one");
  await assert.rejects(
    oneValue({ ...root, VAULT_NAMESPACE: "nobody" }, address),
    /Vault answers 404: namespace not found$/,
  );
  const tokens = newTokens();
  const ada = {
    ...{ VAULT_ADDR: vault.address, AVP_AUTH_TYPE: "userpass", AVP_USERNAME: "ada", AVP_PASSWORD: "p" },
  };
  assert.equal(await oneValue({ ...ada, VAULT_NAMESPACE: "team/" }, address, { tokens }), "of the team");
  await assert.rejects(
    oneValue(ada, address, { tokens }),
    /Vault's login at auth\/userpass: .*invalid username or password/,
  );
});

type SomeCluster = Pick<RealCluster | EmbeddedClusterProcess, "url" | "token" | "kube">;

/** A token of an account, as a Pod has it. */
async function requestToken({ url, token }: SomeCluster, name: string): Promise<string> {
  await using transport = httpTransport(
    { server: url, bearerToken: token, insecure: true },
    { clock: realClock },
  );
  const { status, body } = await transport({
    method: "POST",
    url: `/api/v1/namespaces/argocd/serviceaccounts/${name}/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    signal: AbortSignal.timeout(30_000),
  });
  assert.equal(status, 201, String(body));
  return JSON.parse(String(body)).status.token;
}

async function createAccount({ kube }: SomeCluster, name: string, role?: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  const metadata = { name, namespace: "argocd" };
  const rbac = "rbac.authorization.k8s.io";
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata };
  for (const object of [account, ...(role ? [binding] : [])])
    await kube.apply(object, { fieldManager: "test", force: true, signal });
}

/** The server asks the cluster (TokenReview) whose token it is. */
async function logsInByCluster(t: TestContext, cluster: SomeCluster, authority: string): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } };
  await cluster.kube.apply(namespace, {
    fieldManager: "test",
    force: true,
    signal: AbortSignal.timeout(30_000),
  });
  await createAccount(cluster, "reviewer", "system:auth-delegator");
  await createAccount(cluster, "argocd-repo-server");
  await createAccount(cluster, "somebody");
  await using vault = await startVault("kubernetes");
  await vault.ask("POST auth/kubernetes/config", {
    kubernetes_host: cluster.url,
    kubernetes_ca_cert: authority,
    token_reviewer_jwt: await requestToken(cluster, "reviewer"),
    disable_local_ca_jwt: true,
  });
  await vault.ask("POST auth/kubernetes/role/web", {
    bound_service_account_names: "argocd-repo-server",
    bound_service_account_namespaces: "argocd",
    token_policies: ["app"],
  });
  const folder = await mkdtemp(join(tmpdir(), "capstan-account-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "token");
  const env = {
    VAULT_ADDR: vault.address,
    AVP_AUTH_TYPE: "k8s",
    AVP_K8S_ROLE: "web",
    AVP_K8S_TOKEN_PATH: file,
  };
  const jwt = await requestToken(cluster, "argocd-repo-server");
  await writeFile(file, `${jwt}\n`);
  assert.equal(await oneValue(env, address), "one");
  await assert.rejects(
    oneValue({ ...env, AVP_K8S_ROLE: "none" }, address),
    (error: Error) =>
      /Vault's login at auth\/kubernetes: Vault answers 400: invalid role name "none"/.test(error.message) &&
      !error.message.includes(jwt),
  );
  await writeFile(file, await requestToken(cluster, "somebody"));
  await assert.rejects(
    oneValue(env, address),
    /Vault's login at auth\/kubernetes: .*service account name not authorized/,
  );
  await writeFile(file, jwt.slice(0, -6));
  await assert.rejects(oneValue(env, address), /Vault's login at auth\/kubernetes: permission denied/);
}

test("Kubernetes: an account's token, which the server has the real cluster review", {
  skip: skip || lackingRealCluster(),
}, async (t) => {
  await using cluster = await startRealCluster();
  await logsInByCluster(t, cluster, await readFile(cluster.authority, "utf8"));
});

test("Kubernetes: the same with the embedded cluster", { skip }, async (t) => {
  await using cluster = await startEmbeddedCluster();
  const { caData = "" } = readKubeconfig(await readFile(cluster.kubeconfig, "utf8"));
  await logsInByCluster(t, cluster, caData);
});
