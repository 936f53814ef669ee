import { isAbsolute, join } from "node:path";
import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";
import { listAt, recordAt, textAt, textsIn } from "../read-json.ts";
import type { ClusterConfig, ExecConfig } from "./cluster-config.ts";

export interface KubeconfigOptions {
  /** Its current-context by default. */
  context?: string;
  /**
   * Where the file lies, if it is a person's own: what it names counts from there. Without it a kubeconfig may come
   * from anyone, and one that names files to read or a program to run is refused.
   */
  folder?: string;
}

type Fields = Record<string, unknown>;

/** The files that a kubeconfig names (clientcmd GetClusterFileReferences, GetAuthInfoFileReferences). */
const clusterFiles = ["certificate-authority"];
const userFiles = ["client-certificate", "client-key", "tokenFile"];
/** plugin/pkg/client/auth/exec GetAuthenticator. */
const execVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** The cluster and user of one context of a kubeconfig. */
export function readKubeconfig(text: string, { context, folder }: KubeconfigOptions = {}): ClusterConfig {
  const document = parseDocument(text);
  const chosen = context ?? textAt(document, "current-context");
  if (!chosen) throw invalid("current-context", "is missing; name a context");
  const { cluster: clusterName, user: userName } = named(document, "context", chosen);
  if (typeof clusterName !== "string") throw invalid(`contexts[${chosen}].context.cluster`, "is missing");
  const cluster = named(document, "cluster", clusterName);
  const user = typeof userName === "string" && userName !== "" ? named(document, "user", userName) : {};
  return {
    ...readCluster(cluster, { place: `clusters[${clusterName}].cluster`, folder }),
    ...readUser(user, { place: `users[${String(userName)}].user`, folder }),
  };
}

/** The same kubeconfig for another folder: every file that it names by its whole path. */
export function moveKubeconfig(text: string, folder: string): string {
  const document = parseDocument(text);
  for (const entry of listAt(document, "clusters"))
    if (isRecord(entry)) placeFiles(recordAt(entry, "cluster"), clusterFiles, folder);
  for (const entry of listAt(document, "users")) {
    if (!isRecord(entry)) continue;
    const user = recordAt(entry, "user");
    placeFiles(user, userFiles, folder);
    const exec = recordAt(user, "exec");
    if (textAt(exec, "command")?.includes("/")) placeFiles(exec, ["command"], folder);
  }
  return `${JSON.stringify(document, null, 2)}\n`;
}

function placeFiles(fields: Fields, names: readonly string[], folder: string): void {
  for (const name of names) {
    const path = textAt(fields, name);
    if (path) fields[name] = placed(path, folder);
  }
}

const placed = (path: string, folder: string): string => (isAbsolute(path) ? path : join(folder, path));

function parseDocument(text: string): Fields {
  const document = parseYaml(text);
  if (!isRecord(document))
    throw invalid("the file", "is not a kubeconfig: expected a mapping with clusters and contexts");
  return document;
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

interface Place {
  place: string;
  folder: string | undefined;
}

function readCluster(cluster: Fields, at: Place): ClusterConfig {
  const server = textAt(cluster, "server");
  if (!server || !URL.canParse(server)) throw invalid(`${at.place}.server`, "is not a URL");
  const serverName = textAt(cluster, "tls-server-name");
  const proxyUrl = textAt(cluster, "proxy-url");
  const ca = pemOf(cluster, "certificate-authority", at);
  return {
    server,
    ...(ca.data ? { caData: ca.data } : {}),
    ...(ca.file ? { caFile: ca.file } : {}),
    ...(cluster["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    ...(serverName ? { serverName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
    ...(cluster["disable-compression"] === true ? { disableCompression: true } : {}),
  };
}

function readUser(user: Fields, at: Place): Partial<ClusterConfig> {
  if (user["auth-provider"]) {
    throw invalid(`${at.place}.auth-provider`, "was removed from Kubernetes; use an exec credential program");
  }
  const cert = pemOf(user, "client-certificate", at);
  const key = pemOf(user, "client-key", at);
  const bearerToken = textAt(user, "token");
  const bearerTokenFile = fileOf(user, "tokenFile", { ...at, instead: "token" });
  const username = textAt(user, "username");
  const password = textAt(user, "password");
  const exec = user.exec ? readExec(recordAt(user, "exec"), at) : undefined;
  return {
    ...(cert.data ? { certData: cert.data } : {}),
    ...(cert.file ? { certFile: cert.file } : {}),
    ...(key.data ? { keyData: key.data } : {}),
    ...(key.file ? { keyFile: key.file } : {}),
    ...(bearerToken ? { bearerToken } : {}),
    ...(bearerTokenFile ? { bearerTokenFile } : {}),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(exec ? { exec } : {}),
  };
}

/** The exec block of a kubeconfig: env is a list of name and value. */
function readExec(exec: Fields, { place, folder }: Place): ExecConfig {
  const env: Record<string, string> = {};
  for (const entry of listAt(exec, "env")) {
    if (isRecord(entry) && typeof entry.name === "string") env[entry.name] = String(entry.value ?? "");
  }
  const config = execConfig(exec, env);
  const { command, apiVersion } = config;
  if (folder === undefined)
    throw invalid(
      `${place}.exec`,
      `asks to run ${command}, which is not done here; use a token or a certificate`,
    );
  if (!execVersions.includes(apiVersion))
    throw invalid(`${place}.exec.apiVersion`, `is ${apiVersion}; known are ${execVersions.join(" and ")}`);
  if (exec.interactiveMode === "Always")
    throw invalid(
      `${place}.exec.interactiveMode`,
      "is Always, but there is no terminal to ask at; use IfAvailable",
    );
  return command.includes("/") ? { ...config, command: placed(command, folder) } : config;
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

/** Data counts before a file (client-go rest.TLSClientConfig). */
function pemOf(fields: Fields, field: string, at: Place): { data?: string; file?: string } {
  const data = textAt(fields, `${field}-data`);
  if (data) return { data: Buffer.from(data, "base64").toString("utf8") };
  const file = fileOf(fields, field, { ...at, instead: `${field}-data` });
  return file ? { file } : {};
}

function fileOf(
  fields: Fields,
  field: string,
  { place, folder, instead }: Place & { instead: string },
): string | undefined {
  const path = textAt(fields, field);
  if (!path) return undefined;
  if (folder === undefined)
    throw invalid(`${place}.${field}`, `names the file ${path}, which is not read here; use ${instead}`);
  return placed(path, folder);
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: `kubeconfig: ${field}`, problem });
}
