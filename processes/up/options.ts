import { isIP } from "node:net";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import type { SettingsOverlay } from "@capstan/kube";
import { defaultSecretStores, readSecretStores } from "@capstan/model";

export interface UpOptions {
  dataDir: string;
  port: number;
  clusterPort: number;
  host: string;
  /** Names by which browsers reach the page, beside loopback names and addresses. */
  allowedHosts: readonly string[];
  /** Addresses and ranges of proxies whose X-Forwarded headers are believed. */
  trustedProxies: readonly string[];
  /** Metrics without a token, on a port of their own. */
  metrics: { host: string; port: number } | undefined;
  kubeconfig: string | undefined;
  /** Of Applications, projects and settings. */
  namespace: string;
  /** Nobody speaks TLS with the API. */
  insecure: boolean;
  /** What flags say instead of settings. */
  overlay: SettingsOverlay;
  samples: boolean;
  controllers: boolean;
  logFormat: "text" | "json";
  logLevel: "debug" | "info";
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
}

const port = { kind: "integer", value: "N", range: [0, 65_535] } as const;

export const upFlags = {
  data: {
    kind: "string",
    value: "DIR",
    help: "Where everything is kept",
    byDefault: "~/.capstan",
    env: "CAPSTAN_DATA",
  },
  port: { ...port, help: "Port of the page and the API; 0 = any free one", byDefault: "8080" },
  "cluster-port": { ...port, help: "Port of the embedded cluster; 0 = any free one", byDefault: "6443" },
  host: { kind: "string", value: "ADDRESS", help: "Address to listen on", byDefault: "127.0.0.1" },
  "allowed-host": {
    kind: "strings",
    value: "NAME",
    help: "A name by which the page is reached, as of a proxy in front; repeatable, * = any. Addresses, loopback names, this machine's and those of argocd-cm's url always are",
  },
  "trusted-proxy": {
    kind: "strings",
    value: "CIDR",
    help: "Proxy whose X-Forwarded-For, -Host and -Proto are believed; repeatable",
  },
  "metrics-port": {
    ...port,
    help: "/metrics without a token on this port too; 0 = any free one",
    byDefault: "none",
  },
  "metrics-host": { kind: "string", value: "ADDR", help: "Address of that port", byDefault: "127.0.0.1" },
  kubeconfig: {
    kind: "string",
    value: "FILE",
    help: "Work on that cluster instead of the embedded one; installs the CRDs there",
  },
  namespace: {
    kind: "string",
    value: "NAME",
    help: "Where Applications, projects and settings are",
    byDefault: "argocd",
    env: "ARGOCD_NAMESPACE",
  },
  "application-namespaces": {
    kind: "string",
    value: "GLOBS",
    help: "Further namespaces in which Applications count, with commas between them; over application.namespaces of argocd-cmd-params-cm",
    env: "ARGOCD_APPLICATION_NAMESPACES",
  },
  "disable-auth": {
    kind: "boolean",
    help: "Whoever reaches the listener may do everything; only where nobody else does",
  },
  insecure: {
    kind: "boolean",
    help: "Plain text alone on the port of the API: argocd login --plaintext asks nothing then",
    env: "ARGOCD_SERVER_INSECURE",
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
    help: "Folder of plugin.yaml definitions that this process serves",
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
  "log-format": {
    kind: "string",
    value: "FORMAT",
    help: "Form of the log",
    choices: ["text", "json"],
    byDefault: "text",
  },
  "log-level": {
    kind: "string",
    value: "LEVEL",
    help: "debug tells every look at every application",
    choices: ["info", "debug"],
    byDefault: "info",
  },
} as const satisfies Flags;

type Env = Readonly<Record<string, string | undefined>>;
type UpFlags = FlagValues<typeof upFlags>;

function readWaveDelay({ ARGOCD_SYNC_WAVE_DELAY: text = "0" }: Env): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 3600)
    throw new UsageError(`ARGOCD_SYNC_WAVE_DELAY: "${text}" is not a whole number from 0 to 3600`);
  return seconds * 1000;
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

function readListenerFlags(values: UpFlags) {
  const allowedHosts = values["allowed-host"] ?? [];
  for (const name of allowedHosts) {
    if (!/^(\*|[\w.-]{1,253}(:\d{1,5})?)$/.test(name))
      throw new UsageError(`--allowed-host: "${name}" is no name like capstan.example.com`);
  }
  const trustedProxies = values["trusted-proxy"] ?? [];
  for (const text of trustedProxies) {
    const [address = "", bits = "0"] = text.split("/");
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIP(address) === 6 ? 128 : 32))
      throw new UsageError(`--trusted-proxy: "${text}" is neither an address nor a range like 10.0.0.0/8`);
  }
  return { allowedHosts, trustedProxies };
}

function readNamespace(name = "argocd"): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(`--namespace: "${name}" is no name of a namespace`);
}

function readOverlay(flags: UpFlags): SettingsOverlay {
  const { "application-namespaces": namespaces, "disable-auth": isOpen } = flags;
  return {
    ...(namespaces === undefined ? {} : { "argocd-cmd-params-cm": { "application.namespaces": namespaces } }),
    ...(isOpen
      ? {
          "argocd-cm": { "users.anonymous.enabled": "true" },
          // The built-in roles have globs: in regex mode they give nothing.
          "argocd-rbac-cm": { "policy.default": "role:admin", "policy.matchMode": "glob" },
        }
      : {}),
  };
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
    ...readListenerFlags(flags),
    metrics:
      flags["metrics-port"] === undefined
        ? undefined
        : { host: flags["metrics-host"] ?? "127.0.0.1", port: flags["metrics-port"] },
    kubeconfig: readPath(flags.kubeconfig),
    insecure: flags.insecure ?? false,
    namespace: readNamespace(flags.namespace),
    overlay: readOverlay(flags),
    samples: !flags["no-samples"] && (flags.samples ?? flags.kubeconfig === undefined),
    controllers: !flags["no-controllers"],
    logFormat: flags["log-format"] === "json" ? "json" : "text",
    logLevel: flags["log-level"] === "debug" ? "debug" : "info",
    plugins: readPath(flags.plugins),
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
  };
}
