import { BoundedMap } from "@capstan/flow/at-start";
import { withoutEndSlashes } from "@capstan/formats/at-start";

/** Where a repository is, as git, curl and registries read its URL, in one spelling. */
export interface RepositoryAddress {
  readonly scheme: string;
  /** Of the URL's userinfo the name only, in lower case, "" where there is none. */
  readonly user: string;
  /** In lower case. */
  readonly host: string;
  /** "" for the scheme's own. */
  readonly port: string;
  /** Decoded, in lower case where it is hosted; the last without `.git`. */
  readonly path: readonly string[];
}

/** How an address without a scheme is meant: as git's HOST:PATH, or as a registry's HOST/PATH. */
export type BareAddress = "git" | "oci";

const defaultPorts: Readonly<Record<string, string>> = {
  https: "443",
  http: "80",
  ssh: "22",
  git: "9418",
  oci: "443",
};
const aliases: Readonly<Record<string, string>> = { "git+ssh": "ssh", "ssh+git": "ssh" };

const host = String.raw`[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\]`;
const user = String.raw`(?:([^@:/?#\[\]]*)(?::[^@/?#]*)?@)?`;
const whole = new RegExp(String.raw`^([a-z][a-z0-9+.-]*)://${user}(${host})(?::(\d{1,5}))?(/.*)?$`, "i");
const short = new RegExp(String.raw`^(?:([^@:/?#\[\]]+)@)?(${host}):(?!//)(.+)$`, "i");
const registry = new RegExp(String.raw`^(${host})(?::(\d{1,5}))?(/.*)?$`, "i");

/** What programs read differently from one another: control characters, blanks, `\`, queries, fragments. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const doubtful = /[\u0000-\u0020\u007f\\?#]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const doubtfulDecoded = /[\u0000-\u001f\u007f\\?#%/]/;

/**
 * Reads a URL as strictly as all programs agree on. undefined: it is no address of a host, or one that two programs
 * could take for two hosts or two paths, such as `https://a\@b/`, `https://a?@b/`, `%2e%2e` and `%2f` in a path.
 */
export function readRepositoryAddress(url: string, bare: BareAddress = "git"): RepositoryAddress | undefined {
  if (url.length > maxLength) return undefined;
  const key = `${bare} ${url}`;
  const known = readBefore.get(key);
  if (known !== undefined) return known === "doubtful" ? undefined : known;
  const read = readAddress(url, bare);
  readBefore.set(key, read ?? "doubtful");
  return read;
}

/** Every application asks for the same few again and again. */
const readBefore = new BoundedMap<RepositoryAddress | "doubtful">(10_000);
const maxLength = 4096;

function readAddress(url: string, bare: BareAddress): RepositoryAddress | undefined {
  const text = url.trim();
  if (doubtful.test(text)) return undefined;
  const full = whole.exec(text);
  if (full) {
    const [, scheme = "", name = "", at = "", port = "", path = ""] = full;
    return addressOf({ scheme, user: name, host: at, port, path });
  }
  if (text.includes("://")) return undefined;
  if (bare === "oci") {
    const [found, at = "", port = "", path = ""] = registry.exec(text) ?? [];
    return found === undefined ? undefined : addressOf({ scheme: "oci", user: "", host: at, port, path });
  }
  const [found, name = "", at = "", path = ""] = short.exec(text) ?? [];
  return found === undefined ? undefined : addressOf({ scheme: "ssh", user: name, host: at, port: "", path });
}

type Parts = Record<"scheme" | "user" | "host" | "port" | "path", string>;

function addressOf(parts: Parts): RepositoryAddress | undefined {
  const named = parts.scheme.toLowerCase();
  const scheme = aliases[named] ?? named;
  if (scheme === "file") return undefined;
  const path = readPath(parts.path);
  if (path === undefined) return undefined;
  const port = parts.port.replace(/^0+(?=\d)/, "");
  return {
    scheme,
    user: parts.user.toLowerCase(),
    host: parts.host.toLowerCase(),
    port: port === defaultPorts[scheme] ? "" : port,
    path,
  };
}

/** Empty segments count for nothing; the last may end in `.git`. */
function readPath(text: string): string[] | undefined {
  const segments: string[] = [];
  for (const written of text.split("/")) {
    const segment = decoded(written);
    if (segment === undefined) return undefined;
    if (segment !== "") segments.push(segment.toLowerCase());
  }
  const last = segments.pop();
  const name = last?.endsWith(".git") ? last.slice(0, -".git".length) : last;
  return name ? [...segments, name] : segments;
}

/** undefined: the segment would be several, or lead upwards, for whoever decodes it. */
function decoded(segment: string): string | undefined {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
  return text === "." || text === ".." || doubtfulDecoded.test(text) ? undefined : text;
}

/** Whether two URLs are ways to write one repository. What cannot be read for certain is the same only as text. */
export function isSameRepository(left: string, right: string, bare?: BareAddress): boolean {
  if (left.trim() === right.trim()) return true;
  const one = readRepositoryAddress(left, bare);
  const other = readRepositoryAddress(right, bare);
  if (!one || !other) return isSameFolder(left, right);
  return isSamePlace(one, other) && one.path.length === other.path.length && startsWith(other, one);
}

/** Local repositories: the same path, whose case disks tell apart, with `file://` and `.git` or without. */
function isSameFolder(left: string, right: string): boolean {
  const folder = localPath(left);
  return folder !== undefined && folder === localPath(right);
}

function localPath(url: string): string | undefined {
  const path = /^(?:file:\/\/(?:localhost)?)?(\/.*)$/i.exec(url.trim())?.[1];
  if (path === undefined) return undefined;
  const bare = withoutEndSlashes(path);
  return bare.endsWith(".git") ? bare.slice(0, -".git".length) : bare;
}

/**
 * Whether credentials given for the beginning of URLs are meant for this one: scheme, user, host, port and whole
 * segments of the path agree. The number of segments that do, for the longest to win; undefined: they are not.
 */
export function fitOfTemplate(template: string, url: string, bare?: BareAddress): number | undefined {
  const given = readRepositoryAddress(template, bare);
  const wanted = readRepositoryAddress(url, bare);
  if (!given || !wanted || !isSamePlace(given, wanted) || !startsWith(wanted, given)) return undefined;
  return given.path.length;
}

/** The template with the longest path that fits; of two alike the first. */
export function bestTemplate<T extends { url: string; type?: string | undefined }>(
  templates: readonly T[],
  url: string,
): T | undefined {
  let best: { template: T; fit: number } | undefined;
  for (const template of templates) {
    const fit = fitOfTemplate(template.url, url, template.type === "oci" ? "oci" : "git");
    if (fit !== undefined && fit > (best?.fit ?? -1)) best = { template, fit };
  }
  return best?.template;
}

function isSamePlace(left: RepositoryAddress, right: RepositoryAddress): boolean {
  return (
    left.scheme === right.scheme &&
    left.user === right.user &&
    left.host === right.host &&
    left.port === right.port
  );
}

function startsWith({ path }: RepositoryAddress, { path: beginning }: RepositoryAddress): boolean {
  return beginning.length <= path.length && beginning.every((segment, at) => path[at] === segment);
}

/**
 * A URL for people: without the user and password that may stand in it; of ssh the user's name stays, which is part of
 * the address.
 */
export function withoutUserinfo(url: string): string {
  const at = url.indexOf("://");
  if (at < 0 || !/^\s*[a-z][a-z0-9+.-]*$/i.test(url.slice(0, Math.min(at, maxLength)))) return url;
  const scheme = url.slice(0, at);
  return `${scheme}://${stripped(url.slice(at + 3), { scheme, end: /\//, word: /$/ })}`;
}

/** A text with every URL in it as `withoutUserinfo` shows it: for messages, which repeat what other programs say. */
export function withoutUserinfos(text: string): string {
  if (!text.includes("://")) return text;
  const parts = text.split("://");
  const shown = parts.map((part, index) => {
    const before = parts[index - 1];
    if (before === undefined) return part;
    return stripped(part, { scheme: before.slice(-3), end: /[\s"<>/]/, word: /[\s"<>]/ });
  });
  return shown.join("://");
}

/** What follows `://`, up to its `end` the userinfo with the host; a `word` ends the whole URL. Linear in its length. */
function stripped(
  rest: string,
  { scheme, end, word }: { scheme: string; end: RegExp; word: RegExp },
): string {
  const authority = upTo(rest, end);
  // A password with a slash in it looks like a host with a strange port.
  const isCut = !authority.includes("@") && !authority.startsWith("[") && /:(?!\d*$)/.test(authority);
  const at = (isCut ? upTo(rest, word) : authority).lastIndexOf("@");
  if (at < 0) return rest;
  const name = /ssh$/i.test(scheme) ? `${upTo(rest.slice(0, at), /:/)}@` : "";
  return name + rest.slice(at + 1);
}

function upTo(text: string, end: RegExp): string {
  const at = text.search(end);
  return at < 0 ? text : text.slice(0, at);
}
