import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import { parseDuration } from "@capstan/formats";
import { type OtlpPlace, otlpFlags, readOtlp } from "../surroundings/otlp-flags.ts";

export interface PluginServerOptions {
  configDir: string;
  /** No plugin there is no error: others are served beside. */
  mayLack?: boolean;
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
  otlp?: OtlpPlace | undefined;
}

const count = { kind: "integer", value: "N", range: [0, 999_999_999_999_999] } as const;

export const pluginServerFlags = {
  "config-dir-path": {
    kind: "string",
    value: "DIR",
    help: "Where plugin.yaml, or several *.yaml, are",
    byDefault: "/home/argocd/cmp-server/config",
  },
  "socket-dir": {
    kind: "string",
    value: "DIR",
    help: "Where the sockets are made",
    byDefault: "/home/argocd/cmp-server/plugins",
    env: "ARGOCD_PLUGINSOCKFILEPATH",
  },
  "work-dir": {
    kind: "string",
    value: "DIR",
    help: "Where sources are kept while plugins run",
    byDefault: "the temporary directory",
    env: "ARGOCD_CMP_WORKDIR",
  },
  listen: {
    kind: "string",
    value: "ADDRESS",
    help: "Serve all plugins on HOST:PORT too; a plugin's spec.listenAddress does it for one",
  },
  "tls-cert": {
    kind: "string",
    value: "FILE",
    help: "Certificate for such addresses; without it one is made at the start",
  },
  "tls-key": { kind: "string", value: "FILE", help: "Its key" },
  "client-ca": { kind: "string", value: "FILE", help: "Callers must show a certificate of this authority" },
  plaintext: { kind: "boolean", help: "No TLS" },
  "token-file": { kind: "string", value: "FILE", help: "Callers must send this token" },
  "anyone-may-call": {
    kind: "boolean",
    help: "Neither is asked for: whoever reaches the address may run the plugins' programs on files of his own (needed with --listen where there is no --token-file and no --client-ca)",
  },
  environment: {
    kind: "string",
    value: "WHICH",
    help: "Of this process's environment commands get all, as from argocd-cmp-server, or what spec.environment of their plugin.yaml names",
    choices: ["whole", "named"],
    byDefault: "whole",
  },
  network: {
    kind: "boolean",
    help: "Commands in a sandbox reach the network without spec.network: true",
  },
  "metrics-port": {
    kind: "integer",
    value: "N",
    range: [0, 65_535],
    help: "Serve /metrics and /healthz there",
  },
  "max-tree-bytes": { ...count, help: "Largest source, unpacked", byDefault: "1073741824" },
  "max-tree-files": { ...count, help: "Most files of a source", byDefault: "200000" },
  logformat: {
    kind: "string",
    value: "FORMAT",
    help: "Form of the log",
    choices: ["json", "text"],
    byDefault: "json",
    env: "ARGOCD_CMP_SERVER_LOGFORMAT",
  },
  loglevel: {
    kind: "string",
    value: "LEVEL",
    help: "debug tells every call",
    choices: ["trace", "debug", "info", "warn", "error"],
    byDefault: "info",
    env: "ARGOCD_CMP_SERVER_LOGLEVEL",
  },
  ...otlpFlags("ARGOCD_CMP_SERVER"),
} as const satisfies Flags;

type PluginServerFlags = FlagValues<typeof pluginServerFlags>;

function readTls(flags: PluginServerFlags): PluginServerOptions["tls"] {
  const { "tls-cert": certificate, "tls-key": key, "client-ca": clientAuthority } = flags;
  if (flags.plaintext === true) return "none";
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError("--tls-cert and --tls-key belong together");
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(clientAuthority === undefined ? {} : { clientAuthority }),
  };
}

function readMegabytes({ ARGOCD_GRPC_MAX_SIZE_MB: text = "" }: Env): number {
  if (!/^\d{0,15}$/.test(text))
    throw new UsageError(`ARGOCD_GRPC_MAX_SIZE_MB: "${text}" is not a whole number`);
  return text === "" ? 100 : Number(text);
}

type Env = Readonly<Record<string, string | undefined>>;

export function readPluginServerOptions(flags: PluginServerFlags, env: Env): PluginServerOptions {
  const { logformat = "json", loglevel = "info" } = flags;
  return {
    configDir: resolve(flags["config-dir-path"] ?? "/home/argocd/cmp-server/config"),
    socketDir: resolve(flags["socket-dir"] ?? "/home/argocd/cmp-server/plugins"),
    workDir: join(resolve(flags["work-dir"] ?? tmpdir()), "_cmp_server"),
    listen: flags.listen,
    tls: readTls(flags),
    tokenFile: flags["token-file"],
    anyoneMayCall: flags["anyone-may-call"] === true,
    wholeEnvironment: flags.environment !== "named",
    network: flags.network === true,
    metricsPort: flags["metrics-port"],
    logFormat: logformat === "text" ? "text" : "json",
    logLevel: loglevel === "debug" || loglevel === "trace" ? "debug" : "info",
    otlp: readOtlp(flags),
    maxTreeBytes: flags["max-tree-bytes"] ?? 2 ** 30,
    maxTreeFiles: flags["max-tree-files"] ?? 200_000,
    maxMessageBytes: readMegabytes(env) * 2 ** 20,
    // As Argo CD, which takes its default where the text is no duration (util/exec initTimeout).
    execTimeoutMs: env.ARGOCD_EXEC_TIMEOUT ? parseDuration(env.ARGOCD_EXEC_TIMEOUT) : undefined,
  };
}
