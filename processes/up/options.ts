import { statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import { defaultSecretStores, readSecretStores } from "@capstan/model/at-start";
import { type ApiOptions, apiFlags, portFlag as port, readApiOptions } from "../surroundings/api-options.ts";
import { type OtlpPlace, otlpFlags, readOtlp } from "../surroundings/otlp-flags.ts";

export interface UpOptions extends ApiOptions {
  dataDir: string;
  port: number;
  clusterPort: number;
  host: string;
  kubeconfig: string | undefined;
  samples: boolean;
  controllers: boolean;
  /** Folder of plugin.yaml, served by this process. */
  plugins: string | undefined;
  /** Folder of plugin sockets, as ARGOCD_PLUGINSOCKFILEPATH names it in Argo CD. */
  pluginSockets: string;
  /** File with the token for plugins that run as Services. */
  pluginTokenFile: string | undefined;
  /** Certificate and key for plugins that run as Services. */
  pluginCertificateFiles: { certificate: string; key: string } | undefined;
  /** Of the certificates of plugins that run as Services. */
  pluginAuthorityFile: string | undefined;
  /** Globs of files that no plugin gets. */
  pluginTarExclude: string[];
  /** Plugins get only what the annotation manifest-generate-paths names. */
  pluginUseManifestGeneratePaths: boolean;
  /** Of each repo server's process: what passes it ends one render. */
  repoServerMemoryBytes: number;
  podReadyDelayMs: number;
  waveDelayMs: number;
  /** File of the embedded cluster's requests. */
  auditLog: string | undefined;
  /** Of this machine, that applications may name as repositories. */
  allowFolders: string[];
  /** What applications may use whose project has no annotation capstan.dev/secret-stores. */
  secretStores: string;
  /** Where it is followed what happens. */
  otlp: OtlpPlace | undefined;
}

export const upFlags = {
  data: {
    kind: "string",
    value: "DIR",
    help: "Where everything is kept",
    byDefault: "~/.capstan",
    env: "CAPSTAN_DATA",
  },
  detach: {
    kind: "boolean",
    short: "d",
    help: "Go on in the background, and return when it answers: see capstan status, logs and down",
  },
  wait: { kind: "boolean", help: "The same, and return when the first sample application is Healthy" },
  port: { ...port, help: "Port of the page and the API; 0 = any free one", byDefault: "8080" },
  "cluster-port": { ...port, help: "Port of the embedded cluster; 0 = any free one", byDefault: "6443" },
  host: { kind: "string", value: "ADDRESS", help: "Address to listen on", byDefault: "127.0.0.1" },
  kubeconfig: {
    kind: "string",
    value: "FILE",
    help: "Work on that cluster instead of the embedded one; installs the CRDs there",
  },
  "no-samples": {
    kind: "boolean",
    help: "Do not create the sample repository and its applications on a first start",
  },
  samples: {
    kind: "boolean",
    help: "Create them on the cluster of --kubeconfig too, which gets none by default",
  },
  "no-controllers": { kind: "boolean", help: "Only the embedded cluster and its page" },
  plugins: {
    kind: "string",
    value: "DIR",
    help: "Folder of plugins that are served: plugin.yaml and plugin.ts, there and in the folders in it",
    env: "CAPSTAN_PLUGINS",
  },
  "plugin-sockets": {
    kind: "string",
    value: "DIR",
    help: "Folder of plugin sidecars' sockets",
    byDefault: "/home/argocd/cmp-server/plugins",
    env: "ARGOCD_PLUGINSOCKFILEPATH",
  },
  "repo-server-memory-limit": {
    kind: "string",
    value: "SIZE",
    help: "Memory of the process that renders, as 512Mi or 4Gi: what needs more fails by itself",
    byDefault: "2Gi",
  },
  "pod-ready-delay": {
    kind: "integer",
    value: "MS",
    range: [0, 3_600_000],
    help: "How long simulated Pods take to become Ready",
    byDefault: "200",
  },
  "allow-folder": {
    kind: "strings",
    value: "DIR",
    help: "Folder whose repositories applications may name as file://; repeatable (default: on the embedded cluster those that are yours, with --kubeconfig none; never Capstan's data)",
  },
  "secret-stores": {
    kind: "string",
    value: "LIST",
    help: "What applications may read of secret stores whose project does not say it, as in the annotation capstan.dev/secret-stores; * = all",
    byDefault: defaultSecretStores,
    env: "CAPSTAN_SECRET_STORES",
  },
  "audit-log": {
    kind: "string",
    value: "FILE",
    help: "Every request to the embedded cluster, who asked and for whom, as a line of JSON",
  },
  ...otlpFlags("CAPSTAN"),
  ...apiFlags,
} as const satisfies Flags;

type Env = Readonly<Record<string, string | undefined>>;
type UpFlags = FlagValues<typeof upFlags>;

function readWaveDelay({ ARGOCD_SYNC_WAVE_DELAY: text = "0" }: Env): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 3600)
    throw new UsageError(`ARGOCD_SYNC_WAVE_DELAY: "${text}" is not a whole number from 0 to 3600`);
  return seconds * 1000;
}

function readFolder(flag: string, text: string | undefined): string | undefined {
  const folder = readPath(text);
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${flag}: ${folder} is no folder`);
  return folder;
}

function readPath(path: string | undefined): string | undefined {
  return path ? resolve(path) : undefined;
}

function readCertificateFiles(env: Env): UpOptions["pluginCertificateFiles"] {
  const { CAPSTAN_PLUGIN_CERT_FILE: certificate = "", CAPSTAN_PLUGIN_KEY_FILE: key = "" } = env;
  if ((certificate === "") !== (key === ""))
    throw new UsageError("CAPSTAN_PLUGIN_CERT_FILE and CAPSTAN_PLUGIN_KEY_FILE belong together");
  return certificate === "" ? undefined : { certificate, key };
}

const leastMemoryBytes = 256 * 2 ** 20;
const memoryUnits: Readonly<Record<string, number>> = { Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** As Kubernetes writes memory. */
function readMemory(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(Mi|Gi|Ti)$/.exec(text) ?? [];
  const bytes = Number(count) * (memoryUnits[unit] ?? 0);
  if (bytes < leastMemoryBytes)
    throw new UsageError(
      `--repo-server-memory-limit: "${text}" is not a size of at least 256Mi, as 512Mi or 4Gi`,
    );
  return bytes;
}

function readFolders(flags: readonly string[] = [], { CAPSTAN_ALLOW_FOLDERS: more = "" }: Env) {
  return [...flags, ...more.split(delimiter)].filter((one) => one !== "").map((one) => resolve(one));
}

function readStores(text: string = defaultSecretStores): string {
  const [problem] = readSecretStores(text).problems;
  if (problem) throw new UsageError(`--secret-stores: ${problem}`);
  return text;
}

export function readUpOptions(flags: UpFlags, env: Env): UpOptions {
  return {
    dataDir: resolve(flags.data ?? join(homedir(), ".capstan")),
    port: flags.port ?? 8080,
    clusterPort: flags["cluster-port"] ?? 6443,
    host: flags.host ?? "127.0.0.1",
    ...readApiOptions(flags, env),
    kubeconfig: readPath(flags.kubeconfig),
    samples: !flags["no-samples"] && (flags.samples ?? flags.kubeconfig === undefined),
    controllers: !flags["no-controllers"],
    plugins: readFolder("--plugins", flags.plugins),
    // Argo CD: common.GetPluginSockFilePath.
    pluginSockets: resolve(flags["plugin-sockets"] || "/home/argocd/cmp-server/plugins"),
    pluginTokenFile: env.CAPSTAN_PLUGIN_TOKEN_FILE || undefined,
    pluginCertificateFiles: readCertificateFiles(env),
    pluginAuthorityFile: env.CAPSTAN_PLUGIN_CA_FILE || undefined,
    pluginTarExclude: (env.ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS ?? "")
      .split(";")
      .filter((glob) => glob !== ""),
    pluginUseManifestGeneratePaths: env.ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS === "true",
    repoServerMemoryBytes: readMemory(flags["repo-server-memory-limit"] ?? "2Gi"),
    podReadyDelayMs: flags["pod-ready-delay"] ?? 200,
    waveDelayMs: readWaveDelay(env),
    auditLog: readPath(flags["audit-log"]),
    allowFolders: readFolders(flags["allow-folder"], env),
    secretStores: readStores(flags["secret-stores"]),
    otlp: readOtlp(flags),
  };
}
