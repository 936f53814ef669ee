import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { followFiles } from "../follow-files.ts";
import { clock } from "../machine-clock.ts";
import type { Log } from "../plugin.ts";
import { readToken } from "../read-pem.ts";
import type { TlsPaths } from "../server/follow-tls.ts";
import type { DefinedPlugin } from "./define-plugin.ts";
import type { Parameters } from "./parameters.ts";

export interface ServeOptions {
  /** HOST:PORT to be a service; absent: --listen, then CAPSTAN_PLUGIN_LISTEN, else a sidecar's socket. */
  listen?: string;
  /** PEM files for that address; absent: --tls-cert, --tls-key and --client-ca, else plaintext. */
  tls?: TlsPaths;
  /** File with a token that callers at that address must send; absent: --token-file. */
  tokenFile?: string;
  /** Callers at that address are asked for neither token nor certificate; absent: --anyone-may-call. */
  anyoneMayCall?: boolean;
  /** Where sidecars' sockets are; default ARGOCD_PLUGINSOCKFILEPATH, then Argo CD's folder. */
  socketDir?: string;
  signal?: AbortSignal;
}

const argoFolder = "/home/argocd/cmp-server/plugins";
const maxMessageBytes = 100 * 2 ** 20;
const maxWaitingRuns = 1_000;
const maxProgramFiles = 1_000;

/** Serves a plugin until SIGINT, SIGTERM or the signal: as a sidecar on a socket, or as a service on an address. */
export async function servePlugin<P extends Parameters>(
  plugin: DefinedPlugin<P>,
  options: ServeOptions = {},
): Promise<void> {
  const server = await import("../server.ts");
  const { servedPlugin } = await import("./served.ts");
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error("stopped"));
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  await using opened = new AsyncDisposableStack();
  const log = jsonLog();
  const directories = opened.use(await server.WorkDirectories.create(workFolder(), log));
  const limits = { maxTreeBytes: 2 ** 30, maxTreeFiles: 200_000 };
  const services = { clock, log, limits, directories, queue: new server.RunQueue(maxWaitingRuns) };
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const folder = dirname(resolve(process.argv[1] ?? "."));
  const served = servedPlugin(plugin, { clock, env, folder, program: await digestProgram(folder) });
  const given = { ...readFlags(), ...options };
  const address = await readAddress(plugin, given);
  const tls = given.tls && (await server.followTls(given.tls, { clock, log, signal }));
  const { tokenFile, anyoneMayCall = false } = given;
  const readFileToken = ([text = ""]: readonly string[]) => readToken(text, tokenFile ?? "");
  const token = tokenFile && (await followFiles([tokenFile], readFileToken, { clock, log, signal }));
  const listening = opened.use(
    await server.PluginServer.start([{ plugin: served, address }], {
      ...services,
      version: "",
      maxMessageBytes,
      ...(tls ? { tls } : {}),
      ...(token ? { token } : {}),
      anyoneMayCall,
      pluginService: (plugins) => server.pluginService(plugins, services),
    }),
  );
  log.info({ addresses: listening.addresses }, "plugin is serving");
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

async function readAddress<P extends Parameters>(
  { definition: { name, version } }: DefinedPlugin<P>,
  { listen = process.env.CAPSTAN_PLUGIN_LISTEN, socketDir }: ServeOptions,
): Promise<string> {
  if (listen) return listen;
  const folder = socketDir ?? process.env.ARGOCD_PLUGINSOCKFILEPATH ?? argoFolder;
  await mkdir(folder, { recursive: true });
  return `unix://${join(folder, `${version ? `${name}-${version}` : name}.sock`)}`;
}

/** Others are the plugin's own. */
function readFlags(): Pick<ServeOptions, "listen" | "tls" | "tokenFile" | "anyoneMayCall"> {
  const text = { type: "string" } as const;
  const options = { listen: text, "tls-cert": text, "tls-key": text, "client-ca": text, "token-file": text };
  const flags = { ...options, "anyone-may-call": { type: "boolean" } } as const;
  const { values } = parseArgs({ options: flags, strict: false });
  const textOf = (name: keyof typeof options) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const [listen, certificate, key] = [textOf("listen"), textOf("tls-cert"), textOf("tls-key")];
  const [clientAuthority, tokenFile] = [textOf("client-ca"), textOf("token-file")];
  if ((certificate ?? key ?? clientAuthority) !== undefined && !(certificate && key))
    throw new Error("--tls-cert and --tls-key belong together, and --client-ca needs both");
  const authority = clientAuthority === undefined ? {} : { clientAuthority };
  return {
    ...(listen === undefined ? {} : { listen }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(values["anyone-may-call"] === true ? { anyoneMayCall: true } : {}),
    ...(certificate && key ? { tls: { certificate, key, ...authority } } : {}),
  };
}

function workFolder(): string {
  return join(process.env.ARGOCD_CMP_WORKDIR ?? tmpdir(), `_capstan_plugin_${process.pid}`);
}

/** Changes with the sources beside the program that runs, what it depends on from elsewhere by its lock file. */
async function digestProgram(folder: string): Promise<string> {
  const digest = createHash("sha256");
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => /\.([cm]?[jt]s|json|ya?ml)$/.test(name) && !name.includes("node_modules"))
    .sort();
  if (names.length > maxProgramFiles) return digest.update(`${process.pid} ${Date.now()}`).digest("hex");
  for (const name of names) digest.update(name).update(await readFile(join(folder, name)));
  return digest.digest("hex");
}

/** One line of JSON for each event, on standard error as sidecars do. */
function jsonLog(): Log {
  const write = (level: string) => (fields: object, message: string) => {
    const error = "error" in fields && fields.error instanceof Error ? { error: fields.error.message } : {};
    process.stderr.write(
      `${JSON.stringify({ level, time: new Date().toISOString(), message, ...fields, ...error })}\n`,
    );
  };
  return { debug: () => undefined, info: write("info"), warn: write("warn"), error: write("error") };
}
