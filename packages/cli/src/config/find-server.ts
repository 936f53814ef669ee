import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutEndSlashes } from "@capstan/formats";
import type { GlobalValues } from "../command.ts";
import { UsageError } from "../command.ts";
import type { Io } from "../io.ts";
import { type ConfigServer, type ResolvedContext, readConfig, resolveContext } from "./config-file.ts";
import { configPath } from "./config-path.ts";

/** How a token of the configuration is renewed. */
export interface Renewal {
  /** The configuration. */
  readonly path: string;
  /** Whose token it is in it. */
  readonly user: string;
  readonly refreshToken: string;
}

export interface ServerAccess {
  /** https://host:port, with the path below which the server is found. */
  url: string;
  token: string | undefined;
  renewal?: Renewal | undefined;
  insecure: boolean;
  /** PEM texts. */
  authority?: string | undefined;
  clientCertificate?: { certificate: string; key: string } | undefined;
  /** How to get a token where there is none: the server of `capstan up` on this machine. */
  local?: { passwordFile: string };
}

/** In the configuration, of a server that is reached through the cluster (argocd login --port-forward). */
export const portForward = "port-forward";

/** Flag, environment, configuration, and last what `capstan up` has left on this machine. */
export async function findServer(io: Io, global: GlobalValues): Promise<ServerAccess> {
  refuseCore(global);
  const token = tokenOf(io, global);
  const address = isForwarded(global)
    ? portForward
    : (global.server ?? io.env.CAPSTAN_SERVER ?? io.env.ARGOCD_SERVER);
  const certificates = await givenCertificates(global);
  const configured = await fromConfig(io, global, address);
  if (configured) return { ...configured, ...certificates, ...(token ? { token, renewal: undefined } : {}) };
  const local = await fromLocalData(io);
  if (address === portForward) {
    const url = serverUrl(await forwardedAddress(io, global), global);
    return { url, token, insecure: global.insecure ?? false, ...certificates };
  }
  if (address) {
    const url = serverUrl(address, { ...global, plaintext: global.plaintext ?? isLoopback(address) });
    const isLocal = local !== undefined && new URL(local.url).host === new URL(url).host;
    const insecure = global.insecure ?? false;
    return { url, token, insecure, ...certificates, ...(isLocal ? { local: local.local } : {}) };
  }
  if (local) return { ...local, ...certificates, token: token ?? local.token };
  throw new UsageError(
    "no server is known: run `capstan up` on this machine, log in with `capstan login SERVER`, or give --server",
  );
}

function tokenOf({ env }: Io, global: GlobalValues): string | undefined {
  return (global["auth-token"] || env.CAPSTAN_AUTH_TOKEN || env.ARGOCD_AUTH_TOKEN)?.trim();
}

/** What argocd does without a server; Capstan has one way in. */
export function refuseCore(global: GlobalValues): void {
  if (global.core)
    throw new UsageError(
      "--core is not there: Capstan answers by its server alone; run `capstan server --kubeconfig FILE` beside this, or name one with --server",
    );
}

/** Whether the way leads through the cluster. */
export function isForwarded(global: GlobalValues): boolean {
  return Boolean(global["port-forward"] || global["port-forward-namespace"]);
}

/** The address of the server's Pod, as apiclient's NewClient has it; the way is open until the command ends. */
export async function forwardedAddress(io: Io, global: GlobalValues): Promise<string> {
  if (!io.forwardPort)
    throw new UsageError(
      "--port-forward wants the whole program capstan: run kubectl port-forward -n argocd svc/capstan-server 8080:443, then give --server localhost:8080",
    );
  return io.forwardPort({
    context: global["kube-context"] || undefined,
    namespace: global["port-forward-namespace"] || undefined,
    serverName: global["server-name"] || io.env.ARGOCD_SERVER_NAME || undefined,
  });
}

/** Of the flags; both halves of a client's certificate or none (apiclient NewClient). */
export async function givenCertificates(
  global: GlobalValues,
): Promise<Pick<ServerAccess, "authority" | "clientCertificate">> {
  const { "server-crt": server, "client-crt": certificate, "client-crt-key": key } = global;
  if (Boolean(certificate) !== Boolean(key))
    throw new UsageError("--client-crt and --client-crt-key go together: give both");
  return {
    ...(server ? { authority: await readFile(server, "utf8") } : {}),
    ...(certificate && key
      ? {
          clientCertificate: {
            certificate: await readFile(certificate, "utf8"),
            key: await readFile(key, "utf8"),
          },
        }
      : {}),
  };
}

/** The token of one server is sent to no other, unless the context is named for it. */
async function fromConfig(
  io: Io,
  global: GlobalValues,
  address: string | undefined,
): Promise<ServerAccess | undefined> {
  const path = await configPath(io, global);
  const found = await contextFor({ path, wanted: global["argocd-context"], address });
  if (!found) return undefined;
  const { server, user } = found;
  if (server.core)
    throw new UsageError(
      `context "${found.context.name}" of ${path} goes past the server (--core), which Capstan does not: log in with \`capstan login SERVER\``,
    );
  const named = address ?? server.server;
  const reached = named === portForward ? await forwardedAddress(io, global) : named;
  return {
    url: serverUrl(reached, {
      plaintext: global.plaintext ?? server["plain-text"] ?? false,
      "grpc-web-root-path": global["grpc-web-root-path"] ?? server["grpc-web-root-path"] ?? "",
    }),
    token: user["auth-token"],
    ...(user["refresh-token"]
      ? { renewal: { path, user: user.name, refreshToken: user["refresh-token"] } }
      : {}),
    insecure: global.insecure ?? server.insecure ?? false,
    ...configuredCertificates(server, path),
  };
}

async function contextFor({
  path,
  wanted,
  address,
}: {
  path: string;
  wanted: string | undefined;
  address: string | undefined;
}): Promise<ResolvedContext | undefined> {
  const config = await readConfig(path);
  if (!config) {
    if (wanted) throw new UsageError(`there is no context "${wanted}": ${path} does not exist`);
    return undefined;
  }
  if (wanted) return resolveContext(config, { name: wanted, path });
  const name = address
    ? config.contexts.find(({ server }) => server === address)?.name
    : config["current-context"];
  return name ? resolveContext(config, { name, path }) : undefined;
}

function configuredCertificates(
  server: ConfigServer,
  path: string,
): Pick<ServerAccess, "authority" | "clientCertificate"> {
  const authority = server["certificate-authority-data"];
  const { "client-certificate-data": certificate, "client-certificate-key-data": key } = server;
  if (Boolean(certificate) !== Boolean(key))
    throw new Error(
      `${path}: server "${server.server}" has one of client-certificate-data and client-certificate-key-data; they go together`,
    );
  return {
    ...(authority ? { authority: fromBase64(authority) } : {}),
    ...(certificate && key
      ? { clientCertificate: { certificate: fromBase64(certificate), key: fromBase64(key) } }
      : {}),
  };
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}

async function fromLocalData(
  io: Io,
): Promise<(ServerAccess & { local: { passwordFile: string } }) | undefined> {
  const data = io.env.CAPSTAN_DATA || join(io.home, ".capstan");
  const text = await readFile(join(data, "status.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const url = readUrl(text);
  if (url === undefined) return undefined;
  return { url, token: undefined, insecure: false, local: { passwordFile: join(data, "admin-password") } };
}

function readUrl(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status !== "object" || status === null || !("url" in status)) return undefined;
    return typeof status.url === "string" ? status.url : undefined;
  } catch {
    return undefined;
  }
}

/** The root path of gRPC-web is that of all that the server has (argocd-server --rootpath). */
export function serverUrl(
  address: string,
  { plaintext, "grpc-web-root-path": root = "" }: Pick<GlobalValues, "plaintext" | "grpc-web-root-path">,
): string {
  const base = /^https?:\/\//.test(address) ? address : `${plaintext ? "http" : "https"}://${address}`;
  const path = root.replace(/^\/+|\/+$/g, "");
  return `${withoutEndSlashes(base)}${path === "" ? "" : `/${path}`}`;
}

/** The server of `capstan up` speaks plain HTTP on the loopback interface. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);
}
