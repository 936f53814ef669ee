import { isOwn } from "@capstan/outbound";

/**
 * Whether a registry's password may be changed for a token there: at the registry itself, or over TLS at a host of its
 * own domain, as auth.docker.io is of registry-1.docker.io.
 */
export function isRealmOf(registry: URL, realm: URL): boolean {
  if (isOwn(realm, registry)) return true;
  if (registry.protocol !== "https:" || realm.protocol !== "https:" || realm.port !== "") return false;
  const own = domainOf(registry.hostname);
  return own !== undefined && own === domainOf(realm.hostname);
}

/** The last two names of a host, three where the second is as short as in co.uk; of an address or a single name none. */
function domainOf(host: string): string | undefined {
  const names = host.split(".");
  const [second = "", first = ""] = names.slice(-2);
  if (names.length < 2 || /^\d*$|:|\]/.test(first)) return undefined;
  const count = second.length <= 3 && first.length === 2 ? 3 : 2;
  return names.length < count ? undefined : names.slice(-count).join(".");
}

/** A part of a header WWW-Authenticate (RFC 9110, 11.6.1). */
export function challengePart(challenge: string, name: string): string | undefined {
  return new RegExp(`[ ,]${name}="([^"]*)"`, "i").exec(challenge)?.[1];
}
