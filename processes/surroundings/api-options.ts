import { isIP } from "node:net";
import { resolve } from "node:path";
import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import type { SettingsOverlay } from "@capstan/kube";
import type { ServedPlace } from "@capstan/servers";

/** What `up` and `server` say alike of the listener of the API, and of where its objects are. */
export interface ApiOptions {
  /** Names by which browsers reach the page, beside loopback names and addresses. */
  allowedHosts: readonly string[];
  /** Addresses and ranges of proxies whose X-Forwarded headers are believed. */
  trustedProxies: readonly string[];
  /** Metrics without a token, on a port of their own. */
  metrics: { host: string; port: number } | undefined;
  /** Of Applications, projects and settings. */
  namespace: string;
  /** Nothing of Capstan's own kinds is watched elsewhere, whatever application.namespaces says. */
  namespaced: boolean;
  /** Nobody speaks TLS with the API. */
  insecure: boolean;
  /** Below which paths it is found. */
  place: ServedPlace;
  /** Folder of scripts that the page runs. */
  pageExtensions: string | undefined;
  /** What flags say instead of settings. */
  overlay: SettingsOverlay;
  logFormat: "text" | "json";
  logLevel: "debug" | "info";
}

export const portFlag = { kind: "integer", value: "N", range: [0, 65_535] } as const;

export const apiFlags = {
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
    ...portFlag,
    help: "/metrics without a token on this port too; 0 = any free one",
    byDefault: "none",
  },
  "metrics-host": { kind: "string", value: "ADDR", help: "Address of that port", byDefault: "127.0.0.1" },
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
  namespaced: {
    kind: "boolean",
    help: "Applications, projects and sets of the control namespace alone are watched: rights in that one are enough for them",
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
  "dex-server": {
    kind: "string",
    value: "ADDRESS",
    help: "Dex with the connectors of dex.config, shown below /api/dex; https unless http:// stands before it",
    env: "ARGOCD_SERVER_DEX_SERVER",
  },
  "enable-proxy-extension": {
    kind: "boolean",
    help: "Pass requests below /extensions/ on to the extensions of argocd-cm; over server.enable.proxy.extension of argocd-cmd-params-cm",
    env: "ARGOCD_SERVER_ENABLE_PROXY_EXTENSION",
  },
  "page-extensions": {
    kind: "string",
    value: "DIR",
    help: "Folder of Argo CD's page extensions: the page runs every extension*.js below it, so nobody else may write there",
    byDefault: "none",
    env: "CAPSTAN_PAGE_EXTENSIONS",
  },
  rootpath: {
    kind: "string",
    value: "PATH",
    help: "Serve everything below this path, as behind a proxy that passes it on",
    env: "ARGOCD_SERVER_ROOTPATH",
  },
  basehref: {
    kind: "string",
    value: "PATH",
    help: "Path that browsers see and a proxy takes away; --rootpath goes before it",
    env: "ARGOCD_SERVER_BASEHREF",
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

type ApiFlags = FlagValues<typeof apiFlags>;
type Env = Readonly<Record<string, string | undefined>>;

function readListenerFlags(values: ApiFlags) {
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

/** ARGOCD_GPG_ENABLED as Argo CD reads it (util/sourceintegrity IsGPGEnabled). */
function readOverlay(flags: ApiFlags, { ARGOCD_GPG_ENABLED: gpg = "" }: Env): SettingsOverlay {
  const { "application-namespaces": namespaces, "disable-auth": isOpen, "dex-server": dex } = flags;
  const { "enable-proxy-extension": hasExtensions } = flags;
  const params = {
    ...(namespaces === undefined ? {} : { "application.namespaces": namespaces }),
    ...(dex === undefined ? {} : { "server.dex.server": dex }),
    ...(hasExtensions === undefined ? {} : { "server.enable.proxy.extension": String(hasExtensions) }),
    ...(/^(?:false|no)$/i.test(gpg) ? { "capstan.gpg.enabled": "false" } : {}),
  };
  return {
    ...(Object.keys(params).length === 0 ? {} : { "argocd-cmd-params-cm": params }),
    ...(isOpen
      ? {
          "argocd-cm": { "users.anonymous.enabled": "true" },
          // The built-in roles have globs: in regex mode they give nothing.
          "argocd-rbac-cm": { "policy.default": "role:admin", "policy.matchMode": "glob" },
        }
      : {}),
  };
}

/** argocd-server's own characters are any; these are those that a page's <base>, a cookie and a header take as they are. */
function readPath(flag: string, text = ""): string {
  const path = text.replace(/^\/+|\/+$/g, "");
  const isPlain = path.split("/").every((part) => /^[\w.~-]{1,100}$/.test(part) && !/^\.+$/.test(part));
  if (path !== "" && !isPlain)
    throw new UsageError(`--${flag}: "${text}" is no path like /argocd, of letters, digits and . _ ~ -`);
  return path === "" ? "" : `/${path}`;
}

function readPlace({ rootpath, basehref }: ApiFlags): ServedPlace {
  const rootPath = readPath("rootpath", rootpath);
  const base = readPath("basehref", basehref);
  if (rootPath !== "" && base !== "" && rootPath !== base)
    throw new UsageError(
      `--rootpath ${rootPath} and --basehref ${base} say two paths: give the one that browsers and the server share as --rootpath`,
    );
  return { rootPath, base: rootPath || base };
}

export function readApiOptions(flags: ApiFlags, env: Env): ApiOptions {
  return {
    ...readListenerFlags(flags),
    metrics:
      flags["metrics-port"] === undefined
        ? undefined
        : { host: flags["metrics-host"] ?? "127.0.0.1", port: flags["metrics-port"] },
    namespace: readNamespace(flags.namespace),
    namespaced: flags.namespaced ?? false,
    insecure: flags.insecure ?? false,
    place: readPlace(flags),
    pageExtensions: flags["page-extensions"] ? resolve(flags["page-extensions"]) : undefined,
    overlay: readOverlay(flags, env),
    logFormat: flags["log-format"] === "json" ? "json" : "text",
    logLevel: flags["log-level"] === "debug" ? "debug" : "info",
  };
}
