import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { dumpYaml } from "@capstan/formats/yaml";
import {
  type CapstanProcess,
  createGitRepository,
  eventually,
  type GitRepository,
  isSettled,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";
import { allowSecret, assertShownNowhere, formsOf, startTestVault } from "./test-secrets.ts";

const run = promisify(execFile);
const value = "wal-nut-in-the-vault";
const token = "token-only-for-this-test";
const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const noLimit = () => AbortSignal.timeout(100_000);

/** As teams paste it: Argo CD's former fields included, nothing said of secrets. */
const definition = `allowConcurrency: true
discover:
  find:
    command: [find, ., -name, kustomization.yaml]
generate:
  command: [sh, -c]
  args:
    - >-
      kustomize edit set annotation "github.com/url:\${ARGOCD_ENV_APP_REPO}";
      kustomize edit set image \${ARGOCD_ENV_IMAGE_NAME}:\${ARGOCD_ENV_IMAGE_TAG};
      kustomize build --enable-helm . | argocd-vault-plugin -s \${ARGOCD_ENV_AVP_SECRET} generate -
lockRepo: false
`;

const files = {
  "web/kustomization.yaml": "resources:\n- deployment.yaml\n- secret.yaml\n",
  "web/deployment.yaml": dumpYaml({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "example/web:latest" }] },
      },
    },
  }),
  "web/secret.yaml": dumpYaml({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web", annotations: { "avp.kubernetes.io/path": "secret/data/web" } },
    stringData: { password: "<password>" },
  }),
};

/** The Secret of AVP_SECRET, and the right to read it that Argo CD's users give their repo-server. */
const allowSettings = (capstan: CapstanProcess, address: string): Promise<void> =>
  allowSecret(capstan, "avp-settings", {
    ...{ AVP_TYPE: "vault", AVP_AUTH_TYPE: "token" },
    ...{ VAULT_ADDR: address, VAULT_TOKEN: token },
  });

/** What a team's CI job runs, image tag by image tag. */
async function createAsCiDoes(
  capstan: CapstanProcess,
  repository: GitRepository,
  tag: string,
): Promise<void> {
  const password = await readFile(join(capstan.dataDir, "admin-password"), "utf8");
  const { body } = await capstan.api("POST", "/api/v1/session", {
    username: "admin",
    password: password.trim(),
  });
  const session = JSON.parse(JSON.stringify(body)).token;
  const flags = [
    ...["--repo", repository.url, "--path", "web", "--dest-namespace", "shop"],
    ...["--dest-server", "https://kubernetes.default.svc", "--config-management-plugin=avp-kustomize"],
    ...["--plugin-env", `APP_REPO=${repository.url}`, "--plugin-env", "AVP_SECRET=argocd:avp-settings"],
    ...["--plugin-env", "IMAGE_NAME=example/web", "--plugin-env", `IMAGE_TAG=${tag}`],
    ...["--sync-policy", "automated", "--sync-option", "CreateNamespace=true"],
    ...["--sync-option", "ApplyOutOfSyncOnly=true,ServerSideApply=true", "--upsert"],
  ];
  const access = ["--server", new URL(capstan.url).host, "--plaintext", "--auth-token", session];
  await run(process.execPath, [program, "app", "create", "web", ...flags, ...access]);
}

async function showsTag(capstan: CapstanProcess, tag: string): Promise<void> {
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" };
  const signal = noLimit();
  for (;;) {
    signal.throwIfAborted();
    const text = JSON.stringify((await capstan.kube.get(ref, signal)) ?? {});
    if (text.includes(`"image":"example/web:${tag}"`)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await untilApplication(capstan.kube, "web", isSettled);
}

async function deploysTwice(capstan: CapstanProcess): Promise<void> {
  await using repository = await createGitRepository(files);
  for (const tag of ["1.0", "2.0"]) {
    await createAsCiDoes(capstan, repository, tag);
    await showsTag(capstan, tag);
  }
  const secret = await capstan.kube.get(
    { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "web" },
    noLimit(),
  );
  assert.equal(
    JSON.stringify(secret?.data),
    JSON.stringify({ password: Buffer.from(value).toString("base64") }),
  );
  await assertShownNowhere(capstan, { apps: ["web"], texts: [...formsOf(value), token] });
}

test("the definition that teams paste, as a plugin.yaml", async (t) => {
  const plugins = await mkdtemp(join(tmpdir(), "capstan-pasted-"));
  t.after(() => rm(plugins, { recursive: true, force: true }));
  const head =
    "apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata:\n  name: avp-kustomize\nspec:\n";
  await writeFile(join(plugins, "plugin.yaml"), head + definition.replace(/^/gm, "  "));
  await using capstan = await startCapstan({ flags: ["--no-samples", "--plugins", plugins] });
  await using vault = await startTestVault(token, { web: { password: value } });
  await allowSettings(capstan, vault.address);
  await deploysTwice(capstan);
});

test("the same in argocd-cm, with the plugin.yaml to keep in a warning", async () => {
  await using capstan = await startCapstan({ flags: ["--no-samples"] });
  const text = `- name: avp-kustomize\n${definition.replace(/^(?=.)/gm, "  ")}`;
  const patch = { type: "merge" as const, body: { data: { configManagementPlugins: text } } };
  const settings = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  await capstan.kube.patch(settings, patch, { fieldManager: "test", signal: noLimit() });
  await eventually(
    async () => {
      const { body } = await capstan.api("GET", "/api/v1/settings/plugins");
      return JSON.stringify(body).includes("avp-kustomize") || undefined;
    },
    { signal: noLimit(), describe: capstan.output },
  );
  await using vault = await startTestVault(token, { web: { password: value } });
  await allowSettings(capstan, vault.address);
  await deploysTwice(capstan);
  await capstan.untilPrinted(/keep this plugin\.yaml instead:\napiVersion: argoproj\.io\/v1alpha1\n/);
});

test("the same as a pipeline, by the same command", async () => {
  await using vault = await startTestVault(token, { web: { password: value } });
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: token };
  await using capstan = await startCapstan({ flags: ["--no-samples", "--secret-stores", "*"], env });
  const pipeline = {
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name: "avp-kustomize", namespace: "argocd" },
    spec: {
      stages: [
        {
          plugin: "kustomize",
          config: {
            images: ["${ARGOCD_ENV_IMAGE_NAME}:${ARGOCD_ENV_IMAGE_TAG}"],
            commonAnnotations: { "github.com/url": "${ARGOCD_ENV_APP_REPO}" },
            commonAnnotationsEnvsubst: true,
          },
        },
        { plugin: "vault" },
      ],
    },
  };
  await capstan.kube.apply(pipeline, { fieldManager: "test", force: true, signal: noLimit() });
  await deploysTwice(capstan);
});
