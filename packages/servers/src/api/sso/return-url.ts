import { withoutEndSlashes } from "@capstan/formats";
/** Where this server is, as browsers see it: `scheme://host[:port]` with the path below which it lies. */
export interface OwnAddresses {
  /** For this request. */
  readonly own: string;
  /** All that the settings know. */
  readonly all: readonly string[];
}

/**
 * Where a browser may go after a login: to a path of this server, or to an address below one of its own
 * (util/oidc isValidRedirectURL; the path ends where a name ends). undefined: it leads elsewhere.
 */
export function checkReturnUrl(given: string, { own, all }: OwnAddresses): string | undefined {
  if (given === "") return `${own}/`;
  // Browsers read a backslash as a slash and leave out tabs and line ends: //host would be another server.
  if (/[\\\p{Cc}]/u.test(given)) return undefined;
  if (given.startsWith("/")) return given.startsWith("//") ? undefined : `${new URL(own).origin}${given}`;
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  if (url.username !== "" || url.password !== "") return undefined;
  const isOwn = [own, ...all].some((base) => {
    if (!URL.canParse(base)) return false;
    const { origin, pathname } = new URL(base);
    const path = withoutEndSlashes(pathname);
    return url.origin === origin && (url.pathname === path || url.pathname.startsWith(`${path}/`));
  });
  return isOwn ? url.href : undefined;
}

/** Where a request went, as far as it is to be believed. */
export interface Asked {
  readonly authority: string;
  readonly isSecure: boolean;
  /** Path below which browsers see this server; "" for none. */
  readonly base: string;
}

/** The setting that a request came by; without `url`, where the request itself went, whose name has been checked. */
export function ownAddresses(
  { url, additionalUrls }: { url: string | undefined; additionalUrls: readonly string[] },
  { authority, isSecure, base }: Asked,
): OwnAddresses {
  const all = [...(url === undefined ? [] : [url]), ...additionalUrls].filter((one) => URL.canParse(one));
  const asked = all.find((one) => new URL(one).host === authority.toLowerCase());
  const own = asked ?? all[0] ?? `${isSecure ? "https" : "http"}://${authority}${base}`;
  return { own: withoutEndSlashes(own), all };
}
