import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { GlobalValues } from "../command.ts";
import { UsageError } from "../command.ts";
import type { Io } from "../io.ts";
import { configPath, readConfig } from "./config-file.ts";

export interface ServerAccess {
  /** https://host:port */
  url: string;
  token: string | undefined;
  insecure: boolean;
  caData?: string | undefined;
  /** How to get a token where there is none: the server of `capstan up` on this machine. */
  local?: { passwordFile: string };
}

/** Flag, environment, configuration, and last what `capstan up` has left on this machine. */
export async function findServer(io: Io, global: GlobalValues): Promise<ServerAccess> {
  const token = global["auth-token"] ?? io.env.CAPSTAN_AUTH_TOKEN ?? io.env.ARGOCD_AUTH_TOKEN;
  const address = global.server ?? io.env.CAPSTAN_SERVER ?? io.env.ARGOCD_SERVER;
  const configured = await fromConfig(io, global, address);
  if (configured) return { ...configured, token: token ?? configured.token };
  const local = await fromLocalData(io);
  if (address) {
    const url = serverUrl(address, { plaintext: global.plaintext ?? isLoopback(address) });
    const isLocal = local !== undefined && new URL(local.url).host === new URL(url).host;
    return { url, token, insecure: global.insecure ?? false, ...(isLocal ? { local: local.local } : {}) };
  }
  if (local) return { ...local, token: token ?? local.token };
  throw new UsageError(
    "no server is known: run `capstan up` on this machine, log in with `capstan login SERVER`, or give --server",
  );
}

async function fromConfig(
  io: Io,
  global: GlobalValues,
  address: string | undefined,
): Promise<ServerAccess | undefined> {
  const path = configPath(io, global.config);
  const config = await readConfig(path);
  const wanted = global["argocd-context"];
  const context = address
    ? config.contexts.find(({ server }) => server === address)
    : config.contexts.find(({ name }) => name === (wanted ?? config["current-context"]));
  if (wanted !== undefined && !context) throw new UsageError(`${path} has no context "${wanted}"`);
  if (!context) return undefined;
  const server = config.servers.find((one) => one.server === context.server);
  const user = config.users.find(({ name }) => name === context.user);
  return {
    url: serverUrl(context.server, { plaintext: global.plaintext ?? server?.["plain-text"] ?? false }),
    token: user?.["auth-token"],
    insecure: global.insecure ?? server?.insecure ?? false,
    caData: server?.["certificate-authority-data"],
  };
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

export function serverUrl(address: string, { plaintext }: { plaintext: boolean }): string {
  if (/^https?:\/\//.test(address)) return address.replace(/\/+$/, "");
  return `${plaintext ? "http" : "https"}://${address.replace(/\/+$/, "")}`;
}

/** The server of `capstan up` speaks plain HTTP on the loopback interface. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);
}
