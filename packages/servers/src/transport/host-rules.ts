import { isIP } from "node:net";

/**
 * Names under which this server is reached. A page of another site can make its own name point to this machine
 * (DNS rebinding), and then reads what this server answers: names that nobody listed are refused. Addresses and
 * loopback names are nobody's to point elsewhere.
 */
export interface HostRules {
  /** Names, with or without a port, in lower case; `*` for any: flags, and the addresses that the settings give. */
  readonly listed: readonly string[];
}

interface Authority {
  readonly name: string;
  /** Empty for the scheme's own. */
  readonly port: string;
}

/** Whether a request to this `host:port` is meant for us. */
export function isKnownHost(authority: string, { listed }: HostRules): boolean {
  const host = readAuthority(authority);
  if (host === undefined) return false;
  return (
    isOwnName(host.name) ||
    listed.includes("*") ||
    listed.some((one) => readAuthority(one)?.name === host.name)
  );
}

/** Whether a page of this origin may call us, when the request went to `authority`. */
export function isKnownOrigin(
  origin: string,
  { authority, fetchSite }: { authority: string; fetchSite: string | undefined },
  rules: HostRules,
): boolean {
  const from = /^https?:\/\/([^/?#]+)$/i.exec(origin)?.[1]?.toLowerCase();
  if (from === undefined) return false;
  if (from === authority.toLowerCase()) return true;
  const page = readAuthority(from);
  if (page === undefined) return false;
  if (rules.listed.some((one) => isSameAuthority(readAuthority(one), page))) return true;
  // A proxy gave the request another name than the one that the browser asked for; the browser says they were one.
  return fetchSite === "same-origin" && isKnownHost(from, rules);
}

function isSameAuthority(one: Authority | undefined, other: Authority): boolean {
  return one?.name === other.name && one.port === other.port;
}

function isOwnName(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

function readAuthority(text: string): Authority | undefined {
  const found = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253}?)\.?(?::(\d{1,5}))?$/i.exec(text);
  if (!found) return undefined;
  const port = found[2] ?? "";
  return { name: (found[1] ?? "").toLowerCase(), port: port === "80" || port === "443" ? "" : port };
}

/** The `host[:port]` of a URL in the settings; undefined when it is none. */
export function authorityOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host || undefined : undefined;
}
