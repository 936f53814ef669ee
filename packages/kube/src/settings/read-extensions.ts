import { isRecord, parseDuration } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import { type SecretTexts, withSecrets } from "./secret-references.ts";

/** Programs behind the API server that it passes requests on to (server/extension ExtensionConfig). */
export interface ExtensionSettings {
  /** Of letters, digits, `-` and `_`: requests below /extensions/<name>/ are its. */
  name: string;
  /** At least one; more than one have a cluster each. */
  services: readonly ExtensionService[];
  connections: ExtensionConnections;
}

/** One program of an extension. */
export interface ExtensionService {
  /** Scheme, host and port of it. */
  origin: string;
  /** Whose applications' requests it gets, as their destinations name it; not both where only one is given. */
  cluster?: { name?: string; server?: string };
  /** By name, in lower case; secrets instead of the references to them. */
  headers: Readonly<Record<string, string>>;
}

export interface ExtensionConnections {
  connectMs: number;
  /** Between probes of a connection that nothing goes over. */
  keepAliveMs: number;
  idleMs: number;
  maxIdle: number;
}

/** server/extension DefaultConnectionTimeout and the like. */
const defaults: ExtensionConnections = { connectMs: 2_000, keepAliveMs: 15_000, idleMs: 60_000, maxIdle: 30 };
/** Longest time that a connection may be told, and most that wait. */
const [longestMs, mostIdle] = [10 * 60_000, 1_000];

const key = "extension.config";

class Refused extends Error {}

/**
 * `extension.config` with all, and `extension.config.<name>` with the backend of one. undefined: one of them cannot be
 * used, which is said, so that none is (server/extension parseAndValidateConfig).
 */
export function readExtensions(
  reader: ValueReader,
  raw: Readonly<Record<string, string>>,
  secrets: SecretTexts,
): readonly ExtensionSettings[] | undefined {
  const extensions: ExtensionSettings[] = [];
  let isWhole = true;
  for (const field of Object.keys(raw)
    .filter((one) => one.startsWith(key) && reader.text(one))
    .sort()) {
    const note = (said: string): undefined => reader.problem(field, said) as undefined;
    try {
      for (const one of readOne(field, { text: reader.text(field) ?? "", secrets, note })) {
        if (extensions.some(({ name }) => name === one.name))
          throw new Refused(`has extension ${one.name}, which is there already`);
        extensions.push(one);
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      isWhole = false;
      reader.problem(field, `${error.message}: extensions stay as they were`);
    }
  }
  return isWhole ? extensions : undefined;
}

interface Around {
  readonly text: string;
  readonly secrets: SecretTexts;
  /** Says what holds nothing up. */
  note(said: string): undefined;
}

function readOne(field: string, { text, secrets, note }: Around): ExtensionSettings[] {
  let written: unknown;
  try {
    written = parseYaml(text, { file: field });
  } catch (error) {
    throw new Refused(`is no YAML: ${messageOf(error)}`);
  }
  if (!isRecord(written)) throw new Refused("is no object");
  const value = withSecrets(written, secrets, note);
  const name = field.slice(key.length).replace(/^\./, "");
  if (name !== "") return [readExtension(name, value, note)];
  sayUnknown(value, ["extensions"], note);
  return recordsOf(value.extensions, "extensions").map((one) => {
    sayUnknown(one, ["name", "backend"], note);
    const backend = one.backend ?? {};
    if (!isRecord(backend)) throw new Refused("has a backend that is no object");
    return readExtension(textOf(one, "name") ?? "", backend, note);
  });
}

const connectionFields = ["connectionTimeout", "keepAlive", "idleConnectionTimeout", "maxIdleConnections"];

function readExtension(
  name: string,
  backend: Readonly<Record<string, unknown>>,
  note: Around["note"],
): ExtensionSettings {
  if (name === "") throw new Refused("has an extension without a name");
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    throw new Refused(`has an extension ${JSON.stringify(name)}: a name is of letters, digits, - and _`);
  sayUnknown(backend, ["services", ...connectionFields], note);
  const written = recordsOf(backend.services, `services of ${name}`);
  if (written.length === 0) throw new Refused(`has no services for extension ${name}`);
  const services = written.map((one) => readService(name, one, note));
  if (services.length > 1) refuseAlike(name, services);
  return { name, services, connections: readConnections(backend) };
}

/** Each cluster has one program (server/extension appendProxy). */
function refuseAlike(name: string, services: readonly ExtensionService[]): void {
  const known = new Set<string>();
  for (const { cluster } of services) {
    if (!cluster) throw new Refused(`has several services for extension ${name}, and one without a cluster`);
    for (const [field, value] of Object.entries(cluster)) {
      const said = `${field} ${value}`;
      if (known.has(said))
        throw new Refused(`has two services of extension ${name} for the cluster of ${said}`);
      known.add(said);
    }
  }
}

function readService(
  extension: string,
  service: Readonly<Record<string, unknown>>,
  note: Around["note"],
): ExtensionService {
  sayUnknown(service, ["url", "cluster", "headers"], note);
  const url = textOf(service, "url") ?? "";
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isWeb) throw new Refused(`has a service of extension ${extension} whose url is no http(s) address`);
  const { origin, pathname, search, username } = new URL(url);
  if (username !== "" || search !== "" || pathname !== "/")
    note(`of a service of extension ${extension} only scheme, host and port of the url count`);
  const cluster = readCluster(extension, service.cluster);
  return { origin, ...(cluster ? { cluster } : {}), headers: readHeaders(extension, service.headers) };
}

function readCluster(extension: string, value: unknown): ExtensionService["cluster"] {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw new Refused(`has a cluster of extension ${extension} that is no object`);
  const [name, server] = [textOf(value, "name"), textOf(value, "server")];
  if (!name && !server) throw new Refused(`has a cluster of extension ${extension} without name and server`);
  return { ...(name ? { name } : {}), ...(server ? { server } : {}) };
}

/** What RFC 9110, 5.6.2 takes for a name; a value has no control characters. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]+$/;

function readHeaders(extension: string, value: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const one of recordsOf(value, `headers of ${extension}`)) {
    const [name, text] = [textOf(one, "name") ?? "", textOf(one, "value") ?? ""];
    if (!headerName.test(name))
      throw new Refused(`has a header of extension ${extension} without a usable name`);
    if (!headerValue.test(text))
      throw new Refused(`has a header ${name} of extension ${extension} without a usable value`);
    headers[name.toLowerCase()] = text;
  }
  return headers;
}

function readConnections(backend: Readonly<Record<string, unknown>>): ExtensionConnections {
  const duration = (field: string, fallback: number): number => {
    const text = textOf(backend, field);
    if (text === undefined || text === "0") return fallback;
    const ms = parseDuration(text);
    if (ms === undefined || ms < 0 || ms > longestMs)
      throw new Refused(`has a ${field} that is no duration such as 2s, of 10 minutes at most`);
    return ms || fallback;
  };
  const maxIdle = Number(textOf(backend, "maxIdleConnections") ?? 0);
  if (!Number.isInteger(maxIdle) || maxIdle < 0 || maxIdle > mostIdle)
    throw new Refused(`has maxIdleConnections that are no number up to ${mostIdle}`);
  return {
    connectMs: duration("connectionTimeout", defaults.connectMs),
    keepAliveMs: duration("keepAlive", defaults.keepAliveMs),
    idleMs: duration("idleConnectionTimeout", defaults.idleMs),
    maxIdle: maxIdle || defaults.maxIdle,
  };
}

function recordsOf(value: unknown, what: string): readonly Readonly<Record<string, unknown>>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Refused(`has ${what} that are no list`);
  const records = value.filter(isRecord);
  if (records.length < value.length) throw new Refused(`has ${what} of which one is no object`);
  return records;
}

function textOf(value: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const found = value[field];
  if (found === undefined || found === null) return undefined;
  if (typeof found !== "string" && typeof found !== "number" && typeof found !== "boolean")
    throw new Refused(`has a ${field} that is no text`);
  return String(found);
}

function sayUnknown(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  note: Around["note"],
): void {
  for (const field of Object.keys(value))
    if (!known.includes(field)) note(`${field} is not known, and not honoured`);
}
