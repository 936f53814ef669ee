import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "@capstan/formats";

/** The file of `argocd login` (util/localconfig LocalConfig). Fields that are not known here are kept. */
export interface CliConfig {
  readonly [field: string]: unknown;
  readonly "current-context": string;
  readonly contexts: readonly ConfigContext[];
  readonly servers: readonly ConfigServer[];
  readonly users: readonly ConfigUser[];
  readonly "prompts-enabled"?: boolean;
}

export interface ConfigContext {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly server: string;
  readonly user: string;
}

/** Certificates and keys are base64 of PEM texts. */
export interface ConfigServer {
  readonly [field: string]: unknown;
  readonly server: string;
  readonly insecure?: boolean;
  readonly "plain-text"?: boolean;
  readonly "grpc-web-root-path"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-certificate-key-data"?: string;
  readonly core?: boolean;
}

export interface ConfigUser {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly "auth-token"?: string;
  readonly "refresh-token"?: string;
}

export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** Undefined where there is none. Tokens stand in it: modes other than 0600 and 0400 are refused, as argocd refuses them. */
export async function readConfig(path: string): Promise<CliConfig | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const mode = (await stat(path)).mode & 0o777;
  if (mode !== 0o600 && mode !== 0o400)
    throw new Error(
      `${path} holds tokens and has the mode ${mode.toString(8).padStart(4, "0")}: run chmod 600 ${path} (0400 will do too)`,
    );
  const { parseYaml } = await import("@capstan/model");
  const value = parseYaml(text, { file: path });
  const config = readFields(isRecord(value) ? value : {});
  const current = config["current-context"];
  // argocd refuses to work with such a file too (ValidateLocalConfig).
  if (current !== "") resolveContext(config, { name: current, path });
  return config;
}

function readFields(value: Record<string, unknown>): CliConfig {
  return {
    ...value,
    "current-context": textOf(value["current-context"]),
    contexts: recordsOf(value.contexts).map((entry) => ({
      ...entry,
      name: textOf(entry.name),
      server: textOf(entry.server),
      user: textOf(entry.user),
    })),
    servers: recordsOf(value.servers).map((entry) => ({ ...entry, server: textOf(entry.server) })),
    users: recordsOf(value.users).map((entry) => ({ ...entry, name: textOf(entry.name) })),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export interface ResolvedContext {
  readonly context: ConfigContext;
  readonly server: ConfigServer;
  readonly user: ConfigUser;
}

/** `path` is for the sentence about what is missing. */
export function resolveContext(
  { contexts, servers, users }: CliConfig,
  { name, path }: { name: string; path: string },
): ResolvedContext {
  const context = contexts.find((one) => one.name === name);
  if (!context) throw new Error(`${path} has no context "${name}"${listed(contexts)}`);
  const server = servers.find((one) => one.server === context.server);
  if (!server) throw new Error(`${path}: the server "${context.server}" of context "${name}" is missing`);
  const user = users.find((one) => one.name === context.user);
  if (!user) throw new Error(`${path}: the user "${context.user}" of context "${name}" is missing`);
  return { context, server, user };
}

function listed(contexts: readonly ConfigContext[]): string {
  const names = contexts.map(({ name }) => name);
  return names.length > 0 ? `; it has ${names.join(", ")}` : "";
}

/** Whole or not at all; through a link to where it leads. Without servers there is no file, as argocd leaves none. */
export async function writeConfig(path: string, config: CliConfig): Promise<void> {
  const real = await realpath(path).catch(() => path);
  if (config.servers.length === 0) {
    await rm(real, { force: true });
    return;
  }
  const { dumpYaml } = await import("@capstan/formats/yaml");
  await mkdir(dirname(real), { recursive: true, mode: 0o700 });
  const partial = `${real}.${process.pid}.part`;
  await writeFile(partial, dumpYaml(config), { mode: 0o600 });
  await chmod(partial, 0o600);
  await rename(partial, real);
}
