import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { ClusterConfig } from "@capstan/kube";
import { parseYaml } from "@capstan/model";

type Env = Readonly<Record<string, string | undefined>>;

interface Needs {
  env: Env;
  clock: Clock;
  signal: AbortSignal;
}

const account = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The settings of a file and of a Secret; where both have one the file's counts (pkg/config/config.go). */
export async function readConfiguration(
  { secretName, configPath }: { secretName?: string; configPath?: string },
  needs: Needs,
): Promise<Record<string, string>> {
  return {
    ...(secretName === undefined ? {} : await readSettingsSecret(secretName, needs)),
    ...(configPath === undefined ? {} : await readFileSettings(configPath)),
  };
}

/** Settings that the stores' own clients read: pkg/config/config.go exports the configured ones over the process's. */
const ofClients = /^(?:VAULT|AWS|AZURE|GOOGLE|SOPS|OP_CONNECT|K8S_SECRET)/;

/** The process's settings before the configured ones, but not those of the stores' clients. */
export function mergeSettings(configured: Readonly<Record<string, string>>, env: Env): Env {
  const before = Object.entries(env).filter(
    ([name, value]) => value && !(configured[name] && ofClients.test(name)),
  );
  return { ...configured, ...Object.fromEntries(before) };
}

async function readFileSettings(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, "utf8");
  const lines = text.split("\n").map((line) => line.trim());
  const isPair = (line: string) => line === "" || line.startsWith("#") || /^(?:export\s+)?\w+\s*=/.test(line);
  const isEnv = file.endsWith(".env") || lines.every(isPair);
  return upperCased(isEnv ? parseEnv(text) : parseYaml(text, { file }), file);
}

function upperCased(value: unknown, file: string): Record<string, string> {
  if (!isRecord(value)) throw new Error(`${file} holds no settings`);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toUpperCase(), String(one)]));
}

async function readSettingsSecret(given: string, needs: Needs): Promise<Record<string, string>> {
  const [namespace = "", name = ""] = given.includes(":") ? given.split(":", 2) : ["argocd", given];
  const data = await readSecret({ namespace, name }, needs);
  if (!data) throw new Error(`there is no Secret ${namespace}/${name} with the settings`);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key.toUpperCase(), value]));
}

/** Of the cluster that KUBECONFIG names, or that the program runs in. */
export async function readSecret(
  ref: { namespace: string; name: string },
  { env, clock, signal }: Needs,
): Promise<Record<string, string> | undefined> {
  const reading = { clock, env, userAgent: "argocd-vault-plugin", signal };
  // Most settings are in the environment.
  const { readClusterSecret } = await import("../surroundings/cluster-secret.ts");
  return readClusterSecret(await ownAccess(env, account), ref, reading);
}

/** `folder`: where a Pod finds its ServiceAccount (client-go rest.InClusterConfig). */
export async function ownAccess(env: Env, folder: string): Promise<ClusterConfig> {
  if (env.KUBECONFIG) return (await (await import("@capstan/kube")).openKubeconfig(env.KUBECONFIG)).config;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (!host) throw new Error("reading a Secret needs a cluster: set KUBECONFIG, or run in one");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caData: await readFile(join(folder, "ca.crt"), "utf8"),
    bearerToken: (await readFile(join(folder, "token"), "utf8")).trim(),
  };
}
