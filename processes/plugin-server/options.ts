import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { flagProblem } from "@capstan/cli/flags";
import { parseDuration } from "@capstan/model";

export interface PluginServerFlags {
  configDir: string;
  socketDir: string;
  workDir: string;
  /** All plugins at one address more. */
  listen: string | undefined;
  tls: { certificate?: string; key?: string; clientAuthority?: string } | "none";
  tokenFile: string | undefined;
  /** Addresses other than sockets ask for neither token nor certificate. */
  anyoneMayCall: boolean;
  /** Commands get the whole environment, but for what is Capstan's own. */
  wholeEnvironment: boolean;
  /** Commands reach the network from their sandbox whatever their plugin.yaml says but for `network: false`. */
  network: boolean;
  metricsPort: number | undefined;
  logFormat: "text" | "json";
  logLevel: "debug" | "info";
  maxTreeBytes: number;
  maxTreeFiles: number;
  maxMessageBytes: number;
  execTimeoutMs: number | undefined;
}

/** What the person typed is wrong: printed without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Serve plugins (plugin.yaml) to Capstan or to Argo CD's repo-server. A link to this program named
argocd-cmp-server takes the place of Argo CD's own in a sidecar.

Usage: capstan plugin-server [flags]

Flags:
      --config-dir-path DIR   where plugin.yaml, or several *.yaml, are (default /home/argocd/cmp-server/config)
      --socket-dir DIR        where the sockets are made (default /home/argocd/cmp-server/plugins)
      --work-dir DIR          where sources are kept while plugins run (default the temporary directory)
      --listen ADDRESS        serve all plugins on HOST:PORT too; a plugin's spec.listenAddress does it for one
      --tls-cert FILE         certificate for such addresses; without it one is made at the start
      --tls-key FILE          its key
      --client-ca FILE        callers must show a certificate of this authority
      --plaintext             no TLS
      --token-file FILE       callers must send this token
      --anyone-may-call       neither is asked for: whoever reaches the address may run the plugins' programs on files
                              of his own (needed with --listen where there is no --token-file and no --client-ca)
      --environment WHICH     of this process's environment commands get: whole (default; as from argocd-cmp-server),
                              or named: what spec.environment of their plugin.yaml names
      --network               commands in a sandbox reach the network without spec.network: true
      --metrics-port N        serve /metrics and /healthz there
      --max-tree-bytes N      largest source, unpacked (default 1073741824)
      --max-tree-files N      most files of a source (default 200000)
      --logformat FORMAT      json or text (default json)
      --loglevel LEVEL        info, or debug for every call (default info)
      --otlp-address ADDRESS  taken for Argo CD's sake, without effect; the other --otlp flags too
  -h, --help                  show this

Environment:
  ARGOCD_PLUGINSOCKFILEPATH                           default of --socket-dir
  ARGOCD_CMP_WORKDIR                                  default of --work-dir
  ARGOCD_CMP_SERVER_LOGFORMAT, ..._LOGLEVEL           default of --logformat, --loglevel
  ARGOCD_EXEC_TIMEOUT                                 longest a command may take, as 90s (default: its caller's deadline)
  ARGOCD_GRPC_MAX_SIZE_MB                             largest message and output (default 100)
`;

const text = { type: "string" } as const;
const flags = {
  "config-dir-path": text,
  "socket-dir": text,
  "work-dir": text,
  listen: text,
  "tls-cert": text,
  "tls-key": text,
  "client-ca": text,
  plaintext: { type: "boolean" },
  "token-file": text,
  "anyone-may-call": { type: "boolean" },
  environment: text,
  network: { type: "boolean" },
  "metrics-port": text,
  "max-tree-bytes": text,
  "max-tree-files": text,
  logformat: text,
  loglevel: text,
  "otlp-address": text,
  "otlp-insecure": { type: "boolean" },
  "otlp-headers": text,
  "otlp-attrs": text,
  help: { type: "boolean", short: "h" },
} as const;

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${flagProblem(error, Object.keys(flags))}\nSee capstan plugin-server --help`);
  }
}

function readCount(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(`${name}: "${value}" is not a whole number`);
  return Number(value);
}

function readLevel(value: string): "debug" | "info" {
  if (value === "debug" || value === "trace") return "debug";
  if (value === "info" || value === "warn" || value === "error") return "info";
  throw new UsageError(`--loglevel: "${value}" is none of trace, debug, info, warn, error`);
}

function readEnvironment(value: string): "whole" | "named" {
  if (value === "whole" || value === "named") return value;
  throw new UsageError(`--environment: "${value}" is neither whole nor named`);
}

function readTls(values: ReturnType<typeof readFlags>): PluginServerFlags["tls"] {
  const { "tls-cert": certificate, "tls-key": key, "client-ca": clientAuthority } = values;
  if (values.plaintext === true) return "none";
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError("--tls-cert and --tls-key belong together");
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(clientAuthority === undefined ? {} : { clientAuthority }),
  };
}

/** Flags first, then the environment, then defaults. Returns "help" for --help. */
export function readPluginServerFlags(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): PluginServerFlags | "help" {
  const values = readFlags(argv);
  if (values.help) return "help";
  const logFormat = values.logformat ?? env.ARGOCD_CMP_SERVER_LOGFORMAT ?? "json";
  if (logFormat !== "text" && logFormat !== "json")
    throw new UsageError(`--logformat: "${logFormat}" is neither json nor text`);
  const base = values["work-dir"] ?? env.ARGOCD_CMP_WORKDIR ?? tmpdir();
  const megabytes = readCount("ARGOCD_GRPC_MAX_SIZE_MB", env.ARGOCD_GRPC_MAX_SIZE_MB, 100);
  const metricsPort = values["metrics-port"];
  return {
    configDir: resolve(values["config-dir-path"] ?? "/home/argocd/cmp-server/config"),
    socketDir: resolve(
      values["socket-dir"] ?? env.ARGOCD_PLUGINSOCKFILEPATH ?? "/home/argocd/cmp-server/plugins",
    ),
    workDir: join(resolve(base), "_cmp_server"),
    listen: values.listen,
    tls: readTls(values),
    tokenFile: values["token-file"],
    anyoneMayCall: values["anyone-may-call"] === true,
    wholeEnvironment: readEnvironment(values.environment ?? "whole") === "whole",
    network: values.network === true,
    metricsPort: metricsPort === undefined ? undefined : readCount("--metrics-port", metricsPort, 0),
    logFormat,
    logLevel: readLevel(values.loglevel ?? env.ARGOCD_CMP_SERVER_LOGLEVEL ?? "info"),
    maxTreeBytes: readCount("--max-tree-bytes", values["max-tree-bytes"], 2 ** 30),
    maxTreeFiles: readCount("--max-tree-files", values["max-tree-files"], 200_000),
    maxMessageBytes: megabytes * 2 ** 20,
    // As Argo CD, which takes its default where the text is no duration (util/exec initTimeout).
    execTimeoutMs: env.ARGOCD_EXEC_TIMEOUT ? parseDuration(env.ARGOCD_EXEC_TIMEOUT) : undefined,
  };
}
