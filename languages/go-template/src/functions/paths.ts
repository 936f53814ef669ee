import { posix } from "node:path";
import { withoutEndSlashes } from "@capstan/formats";
import { define, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { bytesOf, textOf } from "../values/text-bytes.ts";
import { GoMap, kindName } from "../values/value.ts";

const onText = (change: (text: string) => string | boolean): GoFunction =>
  define(["string"], ([text]) => change(text));

/** Go's path.Clean: no "/" at the end. */
const clean = (path: string): string => posix.normalize(path).replace(/(.)\/+$/, "$1");
const base = (path: string): string =>
  path === "" ? "." : /^\/+$/.test(path) ? "/" : withoutEndSlashes(path).replace(/^.*\//s, "");
const extension = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? "";
const directory = (path: string): string => clean(path.slice(0, path.lastIndexOf("/") + 1) || ".");
const isAbsolute = (path: string): boolean => path.startsWith("/");

/** sprig's functions on paths and addresses. */
export const pathFunctions: GoFunctions = {
  base: onText(base),
  dir: onText(directory),
  clean: onText(clean),
  ext: onText(extension),
  isAbs: onText(isAbsolute),
  osBase: onText(base),
  osDir: onText(directory),
  osClean: onText(clean),
  osExt: onText(extension),
  osIsAbs: onText(isAbsolute),
  urlParse: define(["string"], ([text]) => new GoMap(Object.entries(parseUrl(text)))),
  urlJoin: define(["map"], ([parts]) => joinUrl((key) => partOf(parts, key))),
};

/** Parts of net/url's URL. */
interface UrlParts {
  scheme: string;
  host: string;
  hostname: string;
  path: string;
  query: string;
  opaque: string;
  fragment: string;
  userinfo: string;
}

const refused = (problem: string): Error => new Error(`unable to parse url: ${problem}`);

function parseUrl(text: string): UrlParts {
  const failure = (problem: string): Error => refused(`parse ${JSON.stringify(text)}: ${problem}`);
  if (/\p{Cc}/u.test(text.replace(/[\u0080-\u009f]/g, "")))
    throw failure("net/url: invalid control character in URL");
  const [, beforeFragment = "", fragment = ""] = /^([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  const [, scheme = "", afterScheme = ""] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(beforeFragment) ?? [];
  if (scheme === "" && afterScheme.startsWith(":")) throw failure("missing protocol scheme");
  const [, rest = "", query = ""] = /^([^?]*)(?:\?(.*))?$/s.exec(afterScheme) ?? [];
  const parts: UrlParts = {
    scheme: scheme.toLowerCase(),
    host: "",
    hostname: "",
    path: "",
    query,
    opaque: "",
    fragment: unescaped(fragment, failure),
    userinfo: "",
  };
  if (scheme !== "" && !rest.startsWith("/")) return { ...parts, opaque: rest };
  if (scheme === "" && /^[^/]*:/.test(rest)) throw failure("first path segment in URL cannot contain colon");
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///")))
    return { ...parts, path: unescaped(rest, failure) };
  const [, authority = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  if (host.startsWith("[") && !host.includes("]")) throw failure("missing ']' in host");
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port))
    throw failure(`invalid port ${JSON.stringify(`:${port}`)} after host`);
  if (/[\s<>"]/.test(host))
    throw failure(`invalid character ${JSON.stringify(/[\s<>"]/.exec(host)?.[0])} in host name`);
  const hostname = host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");
  return {
    ...parts,
    host,
    hostname,
    path: unescaped(path, failure),
    userinfo: at < 0 ? "" : authority.slice(0, at),
  };
}

function unescaped(text: string, failure: (problem: string) => Error): string {
  const bad = /%(?![\da-fA-F]{2}).{0,2}/s.exec(text)?.[0];
  if (bad !== undefined) throw failure(`invalid URL escape ${JSON.stringify(bad)}`);
  const bytes = bytesOf(text).toString("latin1");
  const plain = bytes.replace(/%([\da-fA-F]{2})/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return textOf(Buffer.from(plain, "latin1"));
}

function partOf(parts: GoMap, key: keyof UrlParts): string {
  if (!parts.entries.has(key)) return "";
  const value = parts.entries.get(key);
  if (typeof value === "string") return value;
  throw new Error(`unable to parse ${key} key, must be of type string, but ${kindName(value)} found`);
}

/** net/url's URL.String. */
function joinUrl(part: (key: keyof UrlParts) => string): string {
  const [scheme, host, path, opaque, userinfo] = [
    part("scheme"),
    part("host"),
    part("path"),
    part("opaque"),
    part("userinfo"),
  ];
  let text = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") text += opaque;
  else {
    const hasAuthority = scheme !== "" || host !== "" || userinfo !== "";
    if (hasAuthority && (host !== "" || path !== "" || userinfo !== "")) {
      if (host !== "" || path.startsWith("/") || userinfo !== "") text += "//";
      text += (userinfo === "" ? "" : `${userinfo}@`) + host;
    }
    const shown = escapePath(path);
    if (shown !== "" && !shown.startsWith("/") && host !== "") text += "/";
    else if (text === "" && /^[^/]*:/.test(shown)) text += "./";
    text += shown;
  }
  if (part("query") !== "") text += `?${part("query")}`;
  return part("fragment") === "" ? text : `${text}#${escapePath(part("fragment"))}`;
}

const escapePath = (text: string): string =>
  encodeURI(text.toWellFormed()).replace(
    /[#?[\]!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
