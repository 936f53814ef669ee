import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import { startEmbeddedCluster } from "@capstan/testkit";
import { generateX25519Identity, identityToRecipient } from "age-encryption";

const sops = join(import.meta.dirname, "../../testenv/bin/sops");
const noSops = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const folder = mkdtempSync(join(tmpdir(), "capstan-avp-"));
const program = join(folder, "argocd-vault-plugin");
symlinkSync(join(import.meta.dirname, "../../bin/capstan.js"), program);
after(() => rmSync(folder, { recursive: true, force: true }));

const server = createServer((request, response) => {
  const isOpen = request.headers["x-vault-token"] === "s.own" && request.url === "/v1/secret/data/web";
  response.writeHead(isOpen ? 200 : 403);
  const data = { data: { password: "hunter2", replicas: 3 } };
  response.end(JSON.stringify(isOpen ? { data } : { errors: ["permission denied"] }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());
const at = server.address();
const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(
  args: readonly string[],
  { stdin = "", env = {} }: { stdin?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, ...env },
    timeout: 100_000,
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    ran.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    ran.stderr += chunk;
  });
  child.stdin.end(stdin);
  return new Promise<Ran>((resolve) => child.on("close", (code) => resolve({ ...ran, code })));
}

const deployment = dumpYaml({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", annotations: { "avp.kubernetes.io/path": "secret/data/web" } },
  spec: { replicas: "<replicas>", password: "<password>" },
});
const env = { VAULT_ADDR: address, VAULT_TOKEN: "s.own" };

test("manifests from standard input, as the pasted pipe has it", async () => {
  const { code, stdout, stderr } = await run(["-s", "", "generate", "-"], {
    stdin: `${deployment}---\n---\n`,
    env,
  });
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const filled = deployment
    .replace("<replicas>", "3")
    .replace("<password>", "hunter2")
    .replaceAll('"3"', "3");
  assert.equal(stdout, `${filled.replace("'3'", "3")}---\n`);
});

test("every YAML and JSON file below a folder; settings from a file", async () => {
  const source = join(folder, "source");
  mkdirSync(join(source, "deep"), { recursive: true });
  writeFileSync(join(source, "a.yaml"), deployment);
  writeFileSync(
    join(source, "deep", "b.json"),
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } }),
  );
  writeFileSync(join(source, "README.md"), "<nothing>");
  symlinkSync("a.yaml", join(source, "deep.yml"));
  symlinkSync(".", join(source, "again"));
  const config = join(folder, "config.yaml");
  writeFileSync(config, dumpYaml({ vault_addr: address, VAULT_TOKEN: "s.own" }));
  const { code, stdout } = await run(["generate", source, "-c", config]);
  assert.equal(code, 0);
  assert.match(stdout, /password: hunter2/);
  const kinds = [...stdout.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind);
  assert.deepEqual(kinds, ["Deployment", "ConfigMap", "Deployment"], "deep/b.json comes before deep.yml");
  writeFileSync(
    config,
    `# ours\nexport VAULT_ADDR = "${address}"\nvault_token='s.own' # secret\nAVP_TYPE="vault\\n"\n`,
  );
  const byLines = await run(["generate", source, "-c", config]);
  assert.equal(byLines.stdout, stdout);
});

test("a file for a tool is printed without the metadata that it lacks", async () => {
  const stdin = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
  assert.equal((await run(["generate", "-"], { stdin, env })).stdout, `${stdin}---\n`);
});

test("a SOPS file beside the manifests is a store too", { skip: noSops }, async () => {
  const identity = await generateX25519Identity();
  const file = join(folder, "secrets.yaml");
  writeFileSync(file, "password: hunter2\nreplicas: 3\n");
  const recipient = await identityToRecipient(identity);
  execFileSync(sops, ["encrypt", "--in-place", "--age", recipient, file], { env: { HOME: folder } });
  const own = { AVP_TYPE: "sops", SOPS_AGE_KEY: identity };
  const stdin = deployment.replace("secret/data/web", file);
  const { code, stdout, stderr } = await run(["generate", "-"], { stdin, env: own });
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.match(stdout, /password: hunter2/);
  const missing = await run(["generate", "-"], { stdin: deployment, env: own });
  assert.match(missing.stderr, /password at secret\/data\/web: there is no such file in the source/);
});

test("settings: the application's, the process's, the file's, the Secret's; of the stores' clients the process's last; Secrets as a store", {
  timeout: 300_000,
}, async () => {
  await using cluster = await startEmbeddedCluster();
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "avp", namespace: "default" },
    stringData: { VAULT_ADDR: address, VAULT_TOKEN: "s.secret", AVP_KV_VERSION: "1", password: "hunter3" },
  };
  await cluster.kube.create(secret, { signal: AbortSignal.timeout(100_000) });
  const config = join(folder, "own.env");
  writeFileSync(config, "# of the team\nVAULT_TOKEN='s.file'\nreplicas=1\n");
  const args = ["-s", "default:avp", "-c", config, "generate", "-"];
  const KUBECONFIG = cluster.kubeconfig;
  const application = { ARGOCD_ENV_AVP_KV_VERSION: "2" };
  const stdin = deployment;
  const byFile = await run(args, { stdin, env: { KUBECONFIG, VAULT_TOKEN: "s.own", ...application } });
  assert.match(byFile.stderr, /permission denied/);
  writeFileSync(config, "VAULT_TOKEN=s.own\n");
  const process = { KUBECONFIG, VAULT_ADDR: "http://127.0.0.1:1", VAULT_TOKEN: "s.process" };
  const whole = await run(args, { stdin, env: { ...process, ...application } });
  assert.equal(whole.stderr, "");
  assert.match(whole.stdout, /password: hunter2/);
  const version = await run(args, { stdin, env: { KUBECONFIG, AVP_KV_VERSION: "" } });
  assert.equal(version.code, 1, "KV version 1, as the Secret says");
  assert.equal((await run(args, { stdin, env: { KUBECONFIG, AVP_KV_VERSION: "2" } })).code, 0);
  const same = { ...application, ARGOCD_ENV_VAULT_ADDR: address };
  assert.equal(
    (await run(args, { stdin, env: { KUBECONFIG, ...same } })).code,
    0,
    "the same store's address",
  );
  const asStore = await run(["generate", "-"], {
    stdin: deployment.replace("secret/data/web", "default:avp").replace("<replicas>", "1"),
    env: { KUBECONFIG, AVP_TYPE: "kubernetessecret" },
  });
  assert.match(asStore.stdout, /password: hunter3/);
  const none = await run(["-s", "none", "generate", "-"], { stdin, env: { KUBECONFIG } });
  assert.match(none.stderr, /there is no Secret argocd\/none with the settings/);
});

test("what goes wrong is said with its exit code, and no secret with it", async () => {
  const missing = deployment.replace("<password>", "<none>");
  const without = await run(["generate", "-"], { stdin: missing, env });
  assert.equal(without.code, 1);
  assert.match(without.stderr, /Deployment web .*none at secret\/data\/web: there is no value/);
  assert.equal(without.stdout, "");
  const denied = await run(["generate", "-"], { stdin: deployment, env: { ...env, VAULT_TOKEN: "s.other" } });
  assert.match(denied.stderr, /permission denied/);
  assert.doesNotMatch(without.stderr + denied.stderr, /s\.own|s\.other|hunter2/);
  const empty = join(folder, "empty");
  mkdirSync(empty);
  assert.match((await run(["generate", empty])).stderr, /no YAML or JSON files were found in/);
  assert.equal((await run(["generate"])).code, 2);
  assert.match((await run(["version"])).stdout, /^argocd-vault-plugin /);
});
