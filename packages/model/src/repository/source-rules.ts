import { matchesGlob, withoutEndSlashes } from "@capstan/formats";
import type { Repository } from "./repository.ts";
import { type BareAddress, type RepositoryAddress, readRepositoryAddress } from "./repository-address.ts";

/** Longer ones name no repository. */
const maxLength = 2048;

/**
 * Whether `spec.sourceRepos` of a project permits an address. Any `!` hit rejects; a `!x` entry is at the same time
 * an allow for all that is not x (v1alpha1 AppProject.IsSourcePermitted). Both sides are compared in one spelling; an
 * address that cannot be read for certain (`..`, `%2e`, a query) is permitted by `*` alone.
 */
export function permitsAddress(entries: readonly string[], url: string): boolean {
  if (url.length > maxLength) return false;
  const spellings = spellingsOf(url);
  if (spellings.length === 0) return entries.includes("*") && !entries.some((one) => one.startsWith("!"));
  let isPermitted = false;
  for (const entry of entries) {
    const isDenial = entry.startsWith("!");
    const isHit = isDenial
      ? matches(entry.slice(1), withoutUsers(spellings), withoutUser)
      : matches(entry, spellings, (pattern) => pattern);
    if (isDenial && isHit) return false;
    isPermitted ||= isHit !== isDenial;
  }
  return isPermitted;
}

/**
 * The entry of `spec.sourceRepos` that permits one repository and no other. undefined: an address with a glob's
 * characters, one that cannot be read for certain, and one of http with a user, which the rules do not tell apart from
 * that of another user.
 */
export function entryFor({ url, type }: Pick<Repository, "url" | "type">): string | undefined {
  const text = url.trim();
  const local = localPath(text);
  if (local !== undefined) return isPlain(local) && isLiteral(local) ? text : undefined;
  const address = readRepositoryAddress(text, type === "oci" ? "oci" : "git");
  if (!address || ![address.host, ...address.path].every(isLiteral)) return undefined;
  if (address.user !== "" && /^https?$/.test(address.scheme)) return undefined;
  return spell({ ...address, path: address.path.map(encodeURIComponent) });
}

function isLiteral(text: string): boolean {
  return !/[!*?[\]{}\\]/.test(text);
}

/**
 * Whether a glob, whose `*` spans everything, means an address. `surely`: in a spelling that leaves no doubt; `perhaps`:
 * as it is written too.
 */
export function meansAddress(pattern: string, url: string): { surely: boolean; perhaps: boolean } {
  if (url.length > maxLength) return { surely: false, perhaps: true };
  const spellings = withoutUsers(spellingsOf(url));
  const surely =
    spellings.length > 0 &&
    (pattern === "*" ||
      withoutUsers(spellingsOfPattern(pattern)).some((one) =>
        spellings.some((text) => matchesGlob(one, text)),
      ));
  return { surely, perhaps: surely || matchesGlob(pattern, url.trim()) };
}

function matches(
  pattern: string,
  spellings: readonly string[],
  shorten: (pattern: string) => string,
): boolean {
  if (pattern === "*") return true;
  return spellingsOfPattern(pattern)
    .map(shorten)
    .some((one) => spellings.some((text) => matchesGlob(one, text, "/")));
}

/** Whoever may not read a repository may not as another user either. */
function withoutUsers(spellings: readonly string[]): string[] {
  return [...spellings, ...spellings.map(withoutUser)];
}

function withoutUser(text: string): string {
  return text.replace(/^([a-z+]+:\/\/)[^@/]*@/, "$1");
}

/** The ways to read an address, each in its one spelling; none for what cannot be read for certain. */
function spellingsOf(url: string): string[] {
  const text = url.trim();
  const local = localPath(text);
  if (local !== undefined) return isPlain(local) ? [withoutEnd(local)] : [];
  const readings: BareAddress[] = text.includes("://") ? ["git"] : ["git", "oci"];
  return readings.flatMap((bare) => {
    const address = readRepositoryAddress(text, bare);
    return address ? [spell(address)] : [];
  });
}

/** In http a user is no part of what the address means. */
function spell({ scheme, user, host, port, path }: RepositoryAddress): string {
  const name = user === "" || scheme === "http" || scheme === "https" ? "" : `${user}@`;
  const at = `${scheme}://${name}${host}${port === "" ? "" : `:${port}`}`;
  return [at, ...path].join("/");
}

const schemes: Readonly<Record<string, string>> = { "git+ssh": "ssh", "ssh+git": "ssh" };
const ports: Readonly<Record<string, string>> = {
  https: "443",
  http: "80",
  ssh: "22",
  git: "9418",
  oci: "443",
};
const wholePattern = /^([a-z+]+):\/\/(?:([^@/]*)@)?([^/]*)(\/.*)?$/;
const shortPattern = /^(?:([^@:/]+)@)?([^/:@]+):(?!\/\/)(.+)$/;

/** As spellingsOf, for what may hold globs anywhere. */
function spellingsOfPattern(pattern: string): string[] {
  const text = pattern.trim();
  const local = localPath(text);
  if (local !== undefined) return [withoutEnd(local)];
  const lower = withoutEnd(text.toLowerCase());
  const whole = wholePattern.exec(lower);
  if (whole) {
    const [, scheme = "", user = "", host = "", path = ""] = whole;
    return [spellPattern({ scheme: schemes[scheme] ?? scheme, user, host, path })];
  }
  const [found, user = "", host = "", path = ""] = shortPattern.exec(lower) ?? [];
  const slash = lower.indexOf("/");
  const registry =
    slash < 0 ? { host: lower, path: "" } : { host: lower.slice(0, slash), path: lower.slice(slash) };
  const oci = spellPattern({ scheme: "oci", user: "", ...registry });
  return found === undefined ? [oci] : [spellPattern({ scheme: "ssh", user, host, path: `/${path}` }), oci];
}

function spellPattern({
  scheme,
  user,
  host,
  path,
}: Record<"scheme" | "user" | "host" | "path", string>): string {
  const name = user === "" || scheme === "http" || scheme === "https" ? "" : `${user}@`;
  const ownPort = `:${ports[scheme] ?? ""}`;
  const at = ownPort !== ":" && host.endsWith(ownPort) ? host.slice(0, -ownPort.length) : host;
  const segments = path.split("/").filter((segment) => segment !== "");
  return [`${scheme}://${name}${at}`, ...segments.map(decoded)].join("/");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** Disks tell cases apart. */
function localPath(text: string): string | undefined {
  return /^(?:file:\/\/(?:localhost)?)?(\/.*)$/is.exec(text)?.[1];
}

/** One path, whoever reads it. */
function isPlain(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\\%?#]/.test(path)) return false;
  return !path.split("/").some((segment) => segment === "." || segment === "..");
}

function withoutEnd(text: string): string {
  const path = withoutEndSlashes(text).replace(/\/{2,}/g, (slashes, at: number) =>
    text[at - 1] === ":" ? slashes : "/",
  );
  return path.endsWith(".git") ? path.slice(0, -".git".length) : path;
}

/** Names of charts: path segments below the address of their repository, and no way up or out of it. */
export function isChartName(name: string): boolean {
  const segment = /^[a-zA-Z0-9_](?:[a-zA-Z0-9._-]*[a-zA-Z0-9_])?$/;
  return name.length <= 512 && name.split("/").every((part) => segment.test(part));
}
