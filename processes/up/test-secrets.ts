import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type CapstanProcess, lackingRealVault, startRealVault } from "@capstan/testkit";

/** In clear, and as a Secret's data has it. */
export function formsOf(value: string): readonly string[] {
  return [value, Buffer.from(value).toString("base64")];
}

type SecretData = Readonly<Record<string, string>>;

export interface TestVault extends AsyncDisposable {
  readonly address: string;
  /** What is kept below secret/data/ from now on. */
  write(name: string, data: SecretData): Promise<void>;
}

/** A real one where CAPSTAN_VAULT_PROGRAM names its program, else one that answers as it does. */
export async function startTestVault(
  token: string,
  secrets: Readonly<Record<string, SecretData>>,
): Promise<TestVault> {
  const vault = lackingRealVault() === false ? await startRealOne(token) : await startOwn(token);
  for (const [name, data] of Object.entries(secrets)) await vault.write(name, data);
  return vault;
}

async function startRealOne(token: string): Promise<TestVault> {
  const vault = await startRealVault();
  const policy = 'path "secret/data/*" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/read", { policy });
  await vault.ask("POST auth/token/create", { id: token, policies: ["read"] });
  return {
    address: vault.address,
    write: async (name, data) => void (await vault.ask(`POST secret/data/${name}`, { data })),
    [Symbol.asyncDispose]: () => vault[Symbol.asyncDispose](),
  };
}

/** KV 2 (Vault's API description, "Read Secret Version"), to the one who has the token: each secret in its first version. */
async function startOwn(token: string): Promise<TestVault> {
  const secrets: Record<string, SecretData> = {};
  const server = createServer((request, response) => {
    const found = secrets[(request.url ?? "").replace("/v1/secret/data/", "").replace(/\?version=1$/, "")];
    const isAllowed = request.headers["x-vault-token"] === token;
    const status = !isAllowed ? 403 : found ? 200 : 404;
    response.writeHead(status, { "content-type": "application/json" });
    const errors = { errors: isAllowed ? [] : ["permission denied"] };
    response.end(JSON.stringify(isAllowed && found ? { data: { data: found } } : errors));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  return {
    address: `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`,
    write: async (name, data) => void Object.assign(secrets, { [name]: data }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A Secret of the control namespace that argocd-repo-server may read, and nothing else. */
export async function allowSecret(
  { kube }: CapstanProcess,
  name: string,
  stringData: Readonly<Record<string, string>>,
): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name, namespace: "argocd" };
  const objects = [
    { apiVersion: "v1", kind: "Secret", metadata, stringData },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: [name], verbs: ["get"] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: "argocd-repo-server", namespace: "argocd" }],
    },
  ];
  for (const object of objects)
    await kube.apply(object, { fieldManager: "test", force: true, signal: AbortSignal.timeout(100_000) });
}

const shown = [
  ...["", "/managed-resources", "/manifests", "/resource-tree", "/events", "/stages", "/sync-plan"],
  ...["/parameters", "/server-side-diff", "/links", "/syncwindows"],
];

/** No file but the cluster's own database, no line, no answer of the API and no metric has one of the texts. */
export async function assertShownNowhere(
  capstan: CapstanProcess,
  {
    apps,
    texts,
    paths: more = [],
  }: { apps: readonly string[]; texts: readonly string[]; paths?: readonly string[] },
): Promise<void> {
  const paths = apps.flatMap((app) => shown.map((path) => `/api/v1/applications/${app}${path}`));
  for (const path of ["/api/v1/applications", ...paths, ...more]) {
    const { status, body } = await capstan.api("GET", path);
    assert.notEqual(status, 404, path);
    const text = JSON.stringify(body) ?? "";
    for (const one of texts) assert.ok(!text.includes(one), `GET ${path} shows ${one}`);
  }
  const metrics = await capstan.api("GET", "/metrics");
  assert.equal(metrics.status, 200);
  const printed = { metrics: String(metrics.body), output: capstan.output() };
  for (const [where, text] of Object.entries(printed))
    for (const one of texts) assert.ok(!text.includes(one), `the ${where} shows ${one}`);
  const kept = filesWith(capstan.dataDir, texts);
  const cluster = join(capstan.dataDir, "cluster");
  assert.deepEqual(
    kept.filter((file) => !file.startsWith(`${cluster}/`)),
    [],
    "only the cluster keeps the values, in its Secrets",
  );
}

function filesWith(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => texts.some((text) => readFileSync(file).includes(text)));
}
