import type { HostSettings } from "./git-host.ts";
import type { HostSite } from "./host-calls.ts";

/** Where a host's API is, with no more headers than are given. */
export function siteOf(
  { tls, proxy, guarded }: HostSettings,
  { name, base, headers = {} }: { name: string; base: string; headers?: Readonly<Record<string, string>> },
): HostSite {
  return { name, base, headers, tls, proxy, guarded };
}
