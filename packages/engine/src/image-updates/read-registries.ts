import { isRecord, parseDuration } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import { dockerHub, type ImageName } from "./image-name.ts";
import { readPullSecret } from "./read-update-rules.ts";
import type { PullSecret } from "./update-rules.ts";

/** How a registry is asked (argocd-image-updater, "Configuring registries"). */
export interface RegistryEntry {
  readonly name: string;
  /** As it stands in names of images. */
  readonly prefix: string;
  /** Host and port that are asked. */
  readonly host: string;
  /** Nothing: over TLS, but on this machine. */
  readonly plainHttp?: boolean | undefined;
  /** Takes any certificate. */
  readonly insecure: boolean;
  /** PEM, in place of the authorities that the machine knows. */
  readonly authorities?: string | undefined;
  /** Put before names without a slash. */
  readonly defaultNamespace: string;
  readonly credentials?: PullSecret | undefined;
  /** Credentials are read again after this time. */
  readonly credentialsMs: number;
  /** Questions a second; undefined: as many as there are. */
  readonly perSecond?: number | undefined;
  /** The operator has named it: any address may be its. */
  readonly isGiven: boolean;
}

export interface Registries {
  readonly byPrefix: ReadonlyMap<string, RegistryEntry>;
  /** Of images that name none. */
  readonly default: RegistryEntry;
  readonly problems: readonly string[];
}

const usualCredentialsMs = 60 * 60_000;
const usualPerSecond = 20;

const plain = { insecure: false, defaultNamespace: "", credentialsMs: usualCredentialsMs, isGiven: false };
const builtIn: RegistryEntry = {
  ...plain,
  name: "Docker Hub",
  prefix: dockerHub,
  host: "registry-1.docker.io",
  defaultNamespace: "library",
  perSecond: 10,
};

/** registries.conf of argocd-image-updater-config; an entry that cannot be read is left out and said. */
export function readRegistries(text: string | undefined): Registries {
  const problems: string[] = [];
  const byPrefix = new Map<string, RegistryEntry>([[dockerHub, builtIn]]);
  let found = builtIn;
  for (const [index, value] of entriesOf(text, problems).entries()) {
    const where = `registries.conf, registries[${index}]`;
    const entry = readEntry(value);
    if (typeof entry === "string") problems.push(`${where}: ${entry}`);
    else {
      byPrefix.set(entry.prefix === "" ? entry.host : entry.prefix, entry);
      const hasMark = isRecord(value) && value.default === true;
      if (hasMark && found !== builtIn) problems.push(`${where}: ${found.name} is the default already`);
      else if (hasMark || (found === builtIn && entry.prefix === dockerHub)) found = entry;
    }
  }
  return { byPrefix, default: found, problems };
}

function entriesOf(text: string | undefined, problems: string[]): readonly unknown[] {
  if (text === undefined || text.trim() === "") return [];
  try {
    const value: unknown = parseYaml(text);
    if (isRecord(value) && Array.isArray(value.registries)) return value.registries;
    problems.push("registries.conf: it has no list registries");
  } catch (error) {
    problems.push(`registries.conf: ${messageOf(error)}`);
  }
  return [];
}

function readEntry(value: unknown): RegistryEntry | string {
  if (!isRecord(value)) return "it is no registry: write name, prefix and api_url";
  const textOf = (field: string) => (typeof value[field] === "string" ? value[field] : "");
  const url = textOf("api_url");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "api_url is missing, or no address of HTTP";
  const { host, protocol } = new URL(url);
  const given = textOf("credentials");
  const credentials = given === "" ? undefined : readPullSecret(given);
  if (given !== "" && !credentials)
    return "credentials: write pullsecret:NAMESPACE/NAME, secret:NAMESPACE/NAME#FIELD, env:VARIABLE or ext:PROGRAM";
  const expires = textOf("credsexpire");
  const credentialsMs = expires === "" ? usualCredentialsMs : parseDuration(expires);
  if (credentialsMs === undefined) return "credsexpire is no duration, as 10h30m is";
  const limit = value.limit;
  if (limit !== undefined && (typeof limit !== "number" || limit < 0))
    return "limit is no number of requests a second";
  return {
    name: textOf("name") || host,
    prefix: textOf("prefix"),
    host,
    plainHttp: protocol === "http:",
    insecure: value.insecure === true,
    authorities: textOf("ca_data") || undefined,
    defaultNamespace: textOf("defaultns"),
    credentials,
    credentialsMs,
    perSecond: limit === 0 ? undefined : (limit ?? usualPerSecond),
    isGiven: true,
  };
}

/** Of an image; one that is not named in settings is asked under its own name. */
export function registryOf({ byPrefix, default: usual }: Registries, { host }: ImageName): RegistryEntry {
  if (host === "") return usual;
  const prefix = host === "index.docker.io" ? dockerHub : host;
  return byPrefix.get(prefix) ?? { ...plain, name: host, prefix: host, host, perSecond: usualPerSecond };
}

/** HOST/PATH at which an image's repository is asked for. */
export function registryAddress({ host, defaultNamespace }: RegistryEntry, { path }: ImageName): string {
  const isBare = defaultNamespace !== "" && !path.includes("/");
  return `${host}/${isBare ? `${defaultNamespace}/` : ""}${path}`;
}
