import type { IncomingHttpHeaders } from "node:http";
import { pageSecretHeader } from "@capstan/wire";
import type { ServedPlace } from "../served-place.ts";
import type { Caller } from "./caller.ts";

/** What a request shows of who asks. */
export interface Shown {
  readonly token: string | undefined;
  /** Secret of the page that asks, which the browser keeps for the page's own address, its port included. */
  readonly page: string | undefined;
}

/** Over TLS no other host and no page without TLS can set it (RFC 6265bis, 4.1.3.2). */
const securePrefix = "__Host-";
/** The same below a path, which the other may not have: no page without TLS can set it (4.1.3.1). */
const belowPrefix = "__Secure-";

/** The token's cookie, as Argo CD's util/http MakeCookieMetadata cuts it: `N:` and pieces of at most 4093 bytes. */
const name = "argocd.token";
const pieceLength = 4000;
const maxPieces = 20;

interface CookieOptions {
  secure: boolean;
  path: string;
}

export function makeTokenCookies(token: string, { secure, path }: CookieOptions): string[] {
  const own = secure ? `${path === "/" ? securePrefix : belowPrefix}${name}` : name;
  const attributes = `; Path=${path}; SameSite=Lax; HttpOnly${secure ? "; Secure" : ""}`;
  if (token === "") return [`${own}=; Max-Age=0${attributes}`];
  const pieces = token.match(new RegExp(`.{1,${pieceLength}}`, "g")) ?? [];
  if (pieces.length > maxPieces) throw new RangeError("the token is too long for cookies");
  if (pieces.length === 1) return [`${own}=${token}${attributes}`];
  return pieces.map((piece, index) => {
    const value = index === 0 ? `${pieces.length}:${piece}` : piece;
    return `${index === 0 ? own : `${own}-${index}`}=${value}${attributes}`;
  });
}

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly caller: Pick<Caller, "isSecure">;
  readonly place: Pick<ServedPlace, "base">;
}

/** For the answer to this request. A proxy that is not listed may say TLS too: the cookie only becomes stricter by it. */
export function tokenCookies(token: string, { headers, caller, place }: Asked): string[] {
  const secure =
    caller.isSecure ||
    headers["x-forwarded-proto"] === "https" ||
    headers.origin?.startsWith("https:") === true;
  return makeTokenCookies(token, { secure, path: place.base || "/" });
}

export function readTokenCookies(header: string | undefined): string | undefined {
  const cookies = readCookies(header);
  const own =
    [securePrefix, belowPrefix].map((prefix) => prefix + name).find((one) => cookies.has(one)) ?? name;
  const first = cookies.get(own);
  const counted = /^(\d{1,2}):(.*)$/s.exec(first ?? "");
  if (!counted) return first || undefined;
  const pieces = [counted[2] ?? ""];
  for (let index = 1; index < Math.min(Number(counted[1]), maxPieces); index += 1)
    pieces.push(cookies.get(`${own}-${index}`) ?? "");
  return pieces.join("");
}

export function cookieOf(header: string | undefined, wanted: string): string | undefined {
  return readCookies(header).get(wanted);
}

function readCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header?.split(";") ?? []) {
    const equals = part.indexOf("=");
    if (equals > 0) cookies.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return cookies;
}

const longestSecret = 200;

export function shownBy(headers: IncomingHttpHeaders): Shown {
  const given = headers[pageSecretHeader];
  const page = typeof given === "string" && given !== "" ? given.slice(0, longestSecret) : undefined;
  return { token: tokenOf(headers), page };
}

/** Order of Argo CD (server getToken): gRPC's metadata, bearer token, then cookie. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { token } = headers;
  if (typeof token === "string" && token !== "") return token;
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "");
  return bearer?.[1] ?? readTokenCookies(headers.cookie);
}
