import type { HostSettings } from "./git-host.ts";
import type { HostSite } from "./host-calls.ts";

/** Where a host's API is, with no more headers than are given. */
export function siteOf(
  { tls, proxy, guarded }: HostSettings,
  { name, base, headers = {} }: { name: string; base: string; headers?: Readonly<Record<string, string>> },
): HostSite {
  return { name, base, headers, tls, proxy, guarded };
}

/** RFC 7617. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Of a name and password or of a token, where a host takes no other credential. */
export function plainHeaders(
  { credential }: HostSettings,
  tokenHeader: (token: string) => Record<string, string>,
) {
  if (credential === undefined) return {};
  if (credential.kind === "basic") return { authorization: basic(credential.username, credential.password) };
  if (credential.kind === "token") return tokenHeader(credential.token);
  throw new Error("a GitHub App is no credential for this host");
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
