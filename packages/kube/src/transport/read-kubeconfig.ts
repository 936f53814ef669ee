import { CapstanError, isRecord, parseYaml } from "@capstan/model";
import { listAt, recordAt, textAt, textsIn } from "../read-json.ts";
import type { ClusterConfig, ExecConfig } from "./cluster-config.ts";

/** Reads the files that a kubeconfig names; paths are as written there. */
export type ReadFile = (path: string) => string;

type Fields = Record<string, unknown>;

/** The cluster and user of one context of a kubeconfig (its current-context by default). */
export function readKubeconfig(text: string, context?: string, readFile?: ReadFile): ClusterConfig {
  const document = parseYaml(text);
  if (!isRecord(document))
    throw invalid("the file", "is not a kubeconfig: expected a mapping with clusters and contexts");
  const chosen = context ?? textAt(document, "current-context");
  if (!chosen) throw invalid("current-context", "is missing; name a context");
  const { cluster: clusterName, user: userName } = named(document, "context", chosen);
  if (typeof clusterName !== "string") throw invalid(`contexts[${chosen}].context.cluster`, "is missing");
  const cluster = named(document, "cluster", clusterName);
  const user = typeof userName === "string" && userName !== "" ? named(document, "user", userName) : {};
  return { ...readCluster(cluster, clusterName, readFile), ...readUser(user, String(userName), readFile) };
}

/** The lists of a kubeconfig are named after what their entries hold. */
function named(document: Fields, field: "context" | "cluster" | "user", name: string): Fields {
  const list = `${field}s`;
  const names: string[] = [];
  for (const entry of listAt(document, list)) {
    if (!isRecord(entry)) continue;
    if (entry.name === name) return recordAt(entry, field);
    names.push(String(entry.name));
  }
  throw invalid(list, `has no entry "${name}"; it has ${names.join(", ") || "none"}`);
}

function readCluster(cluster: Fields, name: string, readFile: ReadFile | undefined): ClusterConfig {
  const server = textAt(cluster, "server");
  if (!server || !URL.canParse(server)) throw invalid(`clusters[${name}].cluster.server`, "is not a URL");
  const caData = pemOf(cluster, "certificate-authority", readFile);
  const serverName = textAt(cluster, "tls-server-name");
  const proxyUrl = textAt(cluster, "proxy-url");
  return {
    server,
    ...(caData ? { caData } : {}),
    ...(cluster["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    ...(serverName ? { serverName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
    ...(cluster["disable-compression"] === true ? { disableCompression: true } : {}),
  };
}

function readUser(user: Fields, name: string, readFile: ReadFile | undefined): Partial<ClusterConfig> {
  if (user["auth-provider"]) {
    throw invalid(
      `users[${name}].user.auth-provider`,
      "was removed from Kubernetes; use an exec credential program",
    );
  }
  const certData = pemOf(user, "client-certificate", readFile);
  const keyData = pemOf(user, "client-key", readFile);
  const bearerToken = textAt(user, "token");
  const bearerTokenFile = textAt(user, "tokenFile");
  const username = textAt(user, "username");
  const password = textAt(user, "password");
  const exec = user.exec ? readExec(recordAt(user, "exec")) : undefined;
  return {
    ...(certData ? { certData } : {}),
    ...(keyData ? { keyData } : {}),
    ...(bearerToken ? { bearerToken } : {}),
    ...(bearerTokenFile ? { bearerTokenFile } : {}),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(exec ? { exec } : {}),
  };
}

/** The exec block of a kubeconfig: env is a list of name and value. */
function readExec(exec: Fields): ExecConfig {
  const env: Record<string, string> = {};
  for (const entry of listAt(exec, "env")) {
    if (isRecord(entry) && typeof entry.name === "string") env[entry.name] = String(entry.value ?? "");
  }
  return execConfig(exec, env);
}

/** Argo CD's execProviderConfig differs from a kubeconfig's exec block in that env is a mapping. */
export function readExecProvider(exec: Fields): ExecConfig {
  return execConfig(exec, textsIn(exec.env));
}

function execConfig(exec: Fields, env: Record<string, string>): ExecConfig {
  const command = textAt(exec, "command");
  if (!command) throw invalid("exec.command", "is missing");
  const installHint = textAt(exec, "installHint");
  return {
    command,
    args: listAt(exec, "args").map(String),
    env,
    apiVersion: textAt(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    ...(installHint ? { installHint } : {}),
    ...(exec.provideClusterInfo === true ? { provideClusterInfo: true } : {}),
  };
}

function pemOf(fields: Fields, field: string, readFile: ReadFile | undefined): string | undefined {
  const data = textAt(fields, `${field}-data`);
  if (data) return Buffer.from(data, "base64").toString("utf8");
  const path = textAt(fields, field);
  if (!path) return undefined;
  if (!readFile) throw invalid(field, `names the file ${path}, which cannot be read here; use ${field}-data`);
  return readFile(path);
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: `kubeconfig: ${field}`, problem });
}
