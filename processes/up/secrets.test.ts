import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import {
  type CapstanProcess,
  createGitRepository,
  deploymentText,
  eventually,
  isSettled,
  sketchApplication,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { allowSecret, assertShownNowhere, formsOf, startTestVault } from "./test-secrets.ts";

const sops = join(import.meta.dirname, "../../testenv/bin/sops");
const noSops = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const noLimit = () => AbortSignal.timeout(100_000);
const token = "token-only-for-this-test";
const values = {
  first: "wal-nut-in-the-vault",
  second: "hazel-nut-in-the-vault",
  file: "pea-nut-in-a-file",
  cluster: "coco-nut-in-the-cluster",
};

const pipeline = (...plugins: readonly string[]) =>
  dumpYaml({
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name: "secrets" },
    spec: { stages: plugins.map((plugin) => ({ plugin })) },
  });

const secretOf = (path: string, key: string) =>
  dumpYaml({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web", annotations: { "avp.kubernetes.io/path": path } },
    stringData: { password: `<${key}>` },
    data: { coded: Buffer.from(`user=<${key}>`).toString("base64") },
  });

function encrypted(folder: string, recipient: string): string {
  const file = join(folder, "secret.env");
  writeFileSync(file, `PASSWORD=${values.file}\n`);
  execFileSync(sops, ["encrypt", "--in-place", "--age", recipient, file], {
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return readFileSync(file, "utf8");
}

async function passwordIn(capstan: CapstanProcess, namespace: string, name = "web"): Promise<string> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name };
  const data = Object((await capstan.kube.get(ref, noLimit()))?.data);
  return Buffer.from(String(data.password ?? data.PASSWORD ?? ""), "base64").toString();
}

async function deploy(capstan: CapstanProcess, repoURL: string, name: string): Promise<void> {
  await capstan.kube.create(sketchApplication({ name, repoURL, path: name }), { signal: noLimit() });
}

test("secrets of Vault, SOPS and the cluster come to where they belong and are shown nowhere", {
  skip: noSops,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-secrets-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const identity = await generateX25519Identity();
  await using vault = await startTestVault(token, { web: { password: values.first } });
  const clusterEnv = { plugin: { env: [{ name: "AVP_TYPE", value: "kubernetessecret" }] } };
  await using repository = await createGitRepository({
    "vault/capstan.yaml": pipeline("directory", "vault"),
    "vault/secret.yaml": secretOf("secret/data/web", "password"),
    "vault/config.yaml": dumpYaml({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "web" },
      data: { url: "db://ada:<path:secret/data/web#password>@db" },
    }),
    "vault/deployment.yaml": deploymentText("web").replace(
      "image:",
      'env: [{name: URL, value: "db://ada:<path:secret/data/web#password>@db"}]\n        image:',
    ),
    "sops/capstan.yaml": pipeline("sops", "kustomize"),
    "sops/kustomization.yaml":
      "secretGenerator:\n- name: web\n  envs: [secret.env]\n  options: {disableNameSuffixHash: true}\n",
    "sops/secret.env": encrypted(folder, await identityToRecipient(identity)),
    "cluster/capstan.yaml": pipeline("directory", "vault"),
    "cluster/secret.yaml": secretOf("source", "password"),
    "refused/capstan.yaml": pipeline("directory", "vault"),
    "refused/secret.yaml": secretOf("argocd:argocd-secret", "admin.password"),
    "missing/capstan.yaml": pipeline("directory", "vault"),
    "missing/secret.yaml": secretOf("secret/data/web", "none").replace("user=", "<password>"),
  });
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: token, SOPS_AGE_KEY: identity };
  await using capstan = await startCapstan({ flags: ["--no-samples", "--secret-stores", "*"], env });
  await allowSecret(capstan, "source", { password: values.cluster });
  for (const name of ["vault", "sops", "missing"]) await deploy(capstan, repository.url, name);
  for (const name of ["cluster", "refused"]) {
    const app = sketchApplication({ name, repoURL: repository.url, path: name, source: clusterEnv });
    await capstan.kube.create(app, { signal: noLimit() });
  }
  for (const name of ["vault", "sops", "cluster"]) await untilApplication(capstan.kube, name, isSettled);
  assert.equal(await passwordIn(capstan, "vault"), values.first);
  assert.equal(await passwordIn(capstan, "sops"), values.file);
  assert.equal(await passwordIn(capstan, "cluster"), values.cluster);
  const refused = await untilApplication(capstan.kube, "refused", ({ conditions }) => conditions.length > 0);
  assert.match(
    refused.conditions[0]?.message ?? "",
    /admin\.password at argocd:argocd-secret: .*argocd-secret.* forbidden: .*argocd:argocd-repo-server/,
  );
  const missing = await untilApplication(capstan.kube, "missing", ({ conditions }) => conditions.length > 0);
  assert.match(missing.conditions[0]?.message ?? "", /none at secret\/data\/web: there is no value/);
  await vault.write("web", { password: values.second });
  await changes(capstan);
  const texts = [...Object.values(values).flatMap(formsOf), token, identity];
  const secret = "resourceName=web&version=v1&kind=Secret";
  const paths = ["vault", "sops", "cluster"].map(
    (name) => `/api/v1/applications/${name}/resource?namespace=${name}&${secret}`,
  );
  paths.push(...(await resourcePaths(capstan, "vault")));
  const apps = ["vault", "sops", "cluster", "refused", "missing"];
  await assertShownNowhere(capstan, { apps, texts, paths });
});

/** Of the objects that a secret was put into, and of those that were made of them, with the earlier one too. */
async function resourcePaths(capstan: CapstanProcess, name: string): Promise<string[]> {
  const kinds = [
    { group: "", kind: "ConfigMap" },
    { group: "apps", kind: "Deployment" },
    { group: "apps", kind: "ReplicaSet" },
    { group: "", kind: "Pod" },
  ];
  const found = await Promise.all(
    kinds.map(async ({ group, kind }) => {
      const apiVersion = group === "" ? "v1" : `${group}/v1`;
      const { items } = await capstan.kube.list({ apiVersion, kind, namespace: name }, noLimit());
      const own = items.filter(({ metadata }) => metadata.name?.startsWith("web"));
      return own.map(
        ({ metadata }) =>
          `/api/v1/applications/${name}/resource?namespace=${name}&resourceName=${metadata.name}&version=v1&group=${group}&kind=${kind}`,
      );
    }),
  );
  const counts = found.map(({ length }) => Math.min(length, 2));
  assert.deepEqual(counts, [1, 1, 2, 1], "one of each, and a ReplicaSet of before");
  return found.flat();
}

/** A secret that is another one now, brought by a hard refresh. */
async function changes(capstan: CapstanProcess): Promise<void> {
  await capstan.api("GET", "/api/v1/applications/vault?refresh=hard");
  await eventually(async () => (await passwordIn(capstan, "vault")) === values.second || undefined, {
    signal: noLimit(),
    describe: capstan.output,
  });
  await untilApplication(capstan.kube, "vault", isSettled);
}
