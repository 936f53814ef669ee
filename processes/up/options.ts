import { isIP } from "node:net";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { flagProblem } from "@capstan/cli/flags";
import { defaultSecretStores, readSecretStores } from "@capstan/model";

export interface UpOptions {
  dataDir: string;
  port: number;
  clusterPort: number;
  host: string;
  /** Names by which browsers reach the page, beside loopback names and addresses. */
  allowedHosts: string[];
  /** Addresses and ranges of proxies whose X-Forwarded headers are believed. */
  trustedProxies: string[];
  /** Metrics without a token, on a port of their own. */
  metrics: { host: string; port: number } | undefined;
  kubeconfig: string | undefined;
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

/** What the person typed is wrong: printed without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Run all of Capstan on one machine, on an embedded cluster or on one of yours.

Usage: capstan up [flags]

Flags:
      --data DIR             where everything is kept (default ~/.capstan, or CAPSTAN_DATA)
      --port N               port of the page and the API; 0 = any free one (default 8080)
      --cluster-port N       port of the embedded cluster; 0 = any free one (default 6443)
      --host ADDRESS         address to listen on (default 127.0.0.1)
      --allowed-host NAME    a name by which the page is reached, as of a proxy in front; repeatable, * = any.
                             Addresses, loopback names, this machine's and those of argocd-cm's url always are
      --trusted-proxy CIDR   proxy whose X-Forwarded-For, -Host and -Proto are believed; repeatable
      --metrics-port N       /metrics without a token on this port too; 0 = any free one (default: none)
      --metrics-host ADDR    address of that port (default 127.0.0.1)
      --kubeconfig FILE      work on that cluster instead of the embedded one; installs the CRDs there
      --no-samples           do not create the sample repository and its applications on a first start
      --samples              create them on the cluster of --kubeconfig too, which gets none by default
      --no-controllers       only the embedded cluster and its page
      --plugins DIR          folder of plugin.yaml definitions that this process serves (default CAPSTAN_PLUGINS)
      --plugin-sockets DIR   folder of plugin sidecars' sockets (default ARGOCD_PLUGINSOCKFILEPATH)
      --repo-server-memory-limit SIZE
                             memory of the process that renders, as 512Mi or 4Gi (default 2Gi): what needs more fails by
                             itself
      --pod-ready-delay MS   how long simulated Pods take to become Ready (default 200)
      --allow-folder DIR     folder whose repositories applications may name as file://; repeatable (default: on the
                             embedded cluster those that are yours, with --kubeconfig none; never Capstan's data)
      --secret-stores LIST   what applications may read of secret stores whose project does not say it, as in the
                             annotation capstan.dev/secret-stores; * = all (default kubernetes:{namespace})
      --audit-log FILE       every request to the embedded cluster, who asked and for whom, as a line of JSON
      --log-format FORMAT    text or json (default text)
      --log-level LEVEL      info, or debug for every look at every application (default info)
  -h, --help                 show this

Environment:
  CAPSTAN_DATA                 default of --data
  CAPSTAN_ALLOW_FOLDERS        more folders as by --allow-folder, with : between them
  CAPSTAN_SECRET_STORES        default of --secret-stores
  CAPSTAN_OWN_SSH_KEYS         true: git asks repositories of every application with your own ssh keys and agent
  CAPSTAN_PLUGINS              default of --plugins
  ARGOCD_PLUGINSOCKFILEPATH    folder of plugin sockets (default /home/argocd/cmp-server/plugins)
  CAPSTAN_PLUGIN_TOKEN_FILE    token that plugins running as Services ask for (their --token-file)
  CAPSTAN_PLUGIN_CA_FILE       authority of their certificates; without one these are not verified
  CAPSTAN_PLUGIN_CERT_FILE, CAPSTAN_PLUGIN_KEY_FILE
                               certificate that they ask for (their --client-ca), and its key
  ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS
                               globs of files that no plugin gets, with ; between them
  ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS
                               true: plugins get only what that annotation of an application names
  CAPSTAN_UNCONFINED_COMMANDS  true: commands of applications run where no sandbox (bubblewrap) works
  CAPSTAN_KPT_EXEC, CAPSTAN_KPT_IMAGES
                               programs and images that functions of kpt packages may name
  VAULT_..., AVP_..., SOPS_..., LOVELY_..., KPT_IMAGE_PREFIX and the like
                               settings of the plugins that come along (docs/)
  ARGOCD_SYNC_WAVE_DELAY       seconds between sync waves (default 0: the next wave waits for health alone)
`;

const flags = {
  data: { type: "string" },
  port: { type: "string" },
  "cluster-port": { type: "string" },
  host: { type: "string" },
  "allowed-host": { type: "string", multiple: true },
  "trusted-proxy": { type: "string", multiple: true },
  "metrics-port": { type: "string" },
  "metrics-host": { type: "string" },
  kubeconfig: { type: "string" },
  "no-samples": { type: "boolean" },
  samples: { type: "boolean" },
  "no-controllers": { type: "boolean" },
  plugins: { type: "string" },
  "plugin-sockets": { type: "string" },
  "repo-server-memory-limit": { type: "string" },
  "pod-ready-delay": { type: "string" },
  "audit-log": { type: "string" },
  "allow-folder": { type: "string", multiple: true },
  "secret-stores": { type: "string" },
  "log-format": { type: "string" },
  "log-level": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

function readNumber(
  name: string,
  text: string | undefined,
  limits: { fallback: number; max: number },
): number {
  if (text === undefined) return limits.fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > limits.max)
    throw new UsageError(`${name}: "${text}" is not a whole number from 0 to ${limits.max}`);
  return value;
}

function readPath(path: string | undefined): string | undefined {
  return path ? resolve(path) : undefined;
}

function readCertificateFiles(env: NodeJS.ProcessEnv): UpOptions["pluginCertificateFiles"] {
  const { CAPSTAN_PLUGIN_CERT_FILE: certificate = "", CAPSTAN_PLUGIN_KEY_FILE: key = "" } = env;
  if ((certificate === "") !== (key === ""))
    throw new UsageError("CAPSTAN_PLUGIN_CERT_FILE and CAPSTAN_PLUGIN_KEY_FILE belong together");
  return certificate === "" ? undefined : { certificate, key };
}

/** Argo CD: common.GetPluginSockFilePath. */
function readPluginSockets(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(flag ?? (env.ARGOCD_PLUGINSOCKFILEPATH || "/home/argocd/cmp-server/plugins"));
}

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${flagProblem(error, Object.keys(flags))}\nSee capstan up --help`);
  }
}

function readListenerFlags(values: ReturnType<typeof readFlags>) {
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

function readFolders(flags: readonly string[] = [], { CAPSTAN_ALLOW_FOLDERS: more = "" }: NodeJS.ProcessEnv) {
  return [...flags, ...more.split(delimiter)].filter((one) => one !== "").map((one) => resolve(one));
}

function readStores(text: string = defaultSecretStores): string {
  const [problem] = readSecretStores(text).problems;
  if (problem) throw new UsageError(`--secret-stores: ${problem}`);
  return text;
}

/** Flags first, then the environment, then defaults. Returns "help" for --help. */
export function readUpOptions(argv: readonly string[], env: NodeJS.ProcessEnv): UpOptions | "help" {
  const values = readFlags(argv);
  if (values.help) return "help";
  const logFormat = values["log-format"] ?? "text";
  if (logFormat !== "text" && logFormat !== "json")
    throw new UsageError(`--log-format: "${logFormat}" is neither text nor json`);
  const logLevel = values["log-level"] ?? "info";
  if (logLevel !== "debug" && logLevel !== "info")
    throw new UsageError(`--log-level: "${logLevel}" is neither debug nor info`);
  const port = (name: "port" | "cluster-port" | "metrics-port", fallback: number) =>
    readNumber(`--${name}`, values[name], { fallback, max: 65_535 });
  const waveDelay = readNumber("ARGOCD_SYNC_WAVE_DELAY", env.ARGOCD_SYNC_WAVE_DELAY, {
    fallback: 0,
    max: 3600,
  });
  return {
    dataDir: resolve(values.data ?? env.CAPSTAN_DATA ?? join(homedir(), ".capstan")),
    port: port("port", 8080),
    clusterPort: port("cluster-port", 6443),
    host: values.host ?? "127.0.0.1",
    ...readListenerFlags(values),
    metrics:
      values["metrics-port"] === undefined
        ? undefined
        : { host: values["metrics-host"] ?? "127.0.0.1", port: port("metrics-port", 0) },
    kubeconfig: values.kubeconfig && resolve(values.kubeconfig),
    samples: !values["no-samples"] && (values.samples ?? values.kubeconfig === undefined),
    controllers: !values["no-controllers"],
    logFormat,
    logLevel,
    plugins: readPath(values.plugins ?? env.CAPSTAN_PLUGINS),
    pluginSockets: readPluginSockets(values["plugin-sockets"], env),
    pluginTokenFile: env.CAPSTAN_PLUGIN_TOKEN_FILE || undefined,
    pluginCertificateFiles: readCertificateFiles(env),
    pluginAuthorityFile: env.CAPSTAN_PLUGIN_CA_FILE || undefined,
    pluginTarExclude: (env.ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS ?? "")
      .split(";")
      .filter((glob) => glob !== ""),
    pluginUseManifestGeneratePaths: env.ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS === "true",
    repoServerMemoryBytes: readMemory(values["repo-server-memory-limit"] ?? "2Gi"),
    podReadyDelayMs: readNumber("--pod-ready-delay", values["pod-ready-delay"], {
      fallback: 200,
      max: 3_600_000,
    }),
    waveDelayMs: waveDelay * 1000,
    auditLog: readPath(values["audit-log"]),
    allowFolders: readFolders(values["allow-folder"], env),
    secretStores: readStores(values["secret-stores"] ?? env.CAPSTAN_SECRET_STORES),
  };
}
