import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "@capstan/formats";
import type { Io } from "../io.ts";

/** The file of `argocd login`, field by field, so that one can be used for the other. */
export interface CliConfig {
  "current-context": string;
  contexts: { name: string; server: string; user: string }[];
  servers: ConfigServer[];
  users: { name: string; "auth-token"?: string; "refresh-token"?: string }[];
}

export interface ConfigServer {
  server: string;
  insecure?: boolean;
  "plain-text"?: boolean;
  "certificate-authority-data"?: string;
}

export const emptyConfig: CliConfig = { "current-context": "", contexts: [], servers: [], users: [] };

export function configPath({ env, home }: Pick<Io, "env" | "home">, given: string | undefined): string {
  if (given) return given;
  if (env.CAPSTAN_CONFIG) return env.CAPSTAN_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "capstan", "config");
}

/** Tokens stand in it: a file that others may read is refused, as argocd refuses it. */
export async function readConfig(path: string): Promise<CliConfig> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return emptyConfig;
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0)
    throw new Error(`others may read ${path}, which holds tokens: run chmod 600 ${path}`);
  const { parseYaml } = await import("@capstan/model");
  const value = parseYaml(text, { file: path });
  if (!isRecord(value)) return emptyConfig;
  return {
    "current-context": textOf(value["current-context"]),
    contexts: recordsOf(value.contexts).map(({ name, server, user }) => ({
      name: textOf(name),
      server: textOf(server),
      user: textOf(user),
    })),
    servers: recordsOf(value.servers).map((entry) => ({ ...entry, server: textOf(entry.server) })),
    users: recordsOf(value.users).map((entry) => ({ ...entry, name: textOf(entry.name) })),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

/** Whole or not at all. */
export async function writeConfig(path: string, config: CliConfig): Promise<void> {
  const { dumpYaml } = await import("@capstan/formats/yaml");
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}.part`;
  await writeFile(partial, dumpYaml(config), { mode: 0o600 });
  await chmod(partial, 0o600);
  await rename(partial, path);
}

/** With one login more, which becomes the current one. */
export function withLogin(
  config: CliConfig,
  { context, server, token }: { context: string; server: ConfigServer; token: string },
): CliConfig {
  const user = context;
  return {
    "current-context": context,
    contexts: [
      ...config.contexts.filter(({ name }) => name !== context),
      { name: context, server: server.server, user },
    ],
    servers: [...config.servers.filter((one) => one.server !== server.server), server],
    users: [...config.users.filter(({ name }) => name !== user), { name: user, "auth-token": token }],
  };
}

export function withoutContext(config: CliConfig, context: string): CliConfig {
  const found = config.contexts.find(({ name }) => name === context);
  const contexts = config.contexts.filter(({ name }) => name !== context);
  const isUsed = (server: string): boolean => contexts.some((one) => one.server === server);
  return {
    "current-context": config["current-context"] === context ? "" : config["current-context"],
    contexts,
    servers: config.servers.filter(({ server }) => isUsed(server)),
    users: config.users.filter(({ name }) => name !== found?.user),
  };
}
