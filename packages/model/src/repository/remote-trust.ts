import { hasGlob, matchesPath } from "@capstan/formats";
import type { Repository } from "./repository.ts";
import { type BareAddress, readRepositoryAddress } from "./repository-address.ts";

/** By what the hosts of repositories are known. */
export interface RemoteTrust {
  /** PEM texts by names of hosts, in lower case and without a port; of one that is not named, the machine's own count. */
  readonly authorities: Readonly<Record<string, string>>;
  /** Lines as ssh reads them (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). */
  readonly knownHosts: readonly string[];
}

/** A repository with what its own host is known by, and nothing of others. */
export function withTrust(repository: Repository, trust: RemoteTrust): Repository {
  const bare: BareAddress = repository.type === "oci" ? "oci" : "git";
  const address = readRepositoryAddress(repository.url, bare);
  if (!address) return repository;
  if (address.scheme === "ssh") {
    const lines = linesFor(trust.knownHosts, address);
    return lines.length === 0 ? repository : { ...repository, knownHosts: lines.join("\n") };
  }
  const authorities = Object.hasOwn(trust.authorities, address.host)
    ? trust.authorities[address.host]
    : undefined;
  return authorities === undefined ? repository : { ...repository, tlsAuthorities: authorities };
}

interface Index {
  readonly byName: ReadonlyMap<string, ReadonlySet<string>>;
  readonly anybody: readonly string[];
}

const indexes = new WeakMap<readonly string[], Index>();

/** What may concern a host: ssh itself decides about hashed names, patterns and markers. */
function linesFor(knownHosts: readonly string[], { host, port }: { host: string; port: string }): string[] {
  const known = indexes.get(knownHosts) ?? makeIndex(knownHosts);
  indexes.set(knownHosts, known);
  const names = port === "" ? [host] : [`[${host}]:${port}`, host];
  const patterned = known.anybody.filter((line) => mayMean(line, names));
  return [...names.flatMap((name) => [...(known.byName.get(name) ?? [])]), ...patterned];
}

function makeIndex(lines: readonly string[]): Index {
  const byName = new Map<string, Set<string>>();
  const anybody: string[] = [];
  for (const line of lines) {
    const [hosts = ""] = line.split(/\s/, 1);
    if (/^[@|]|[*?!]/.test(hosts)) anybody.push(line);
    else for (const name of hosts.toLowerCase().split(",")) add(byName, name, line);
  }
  return { byName, anybody };
}

function add(byName: Map<string, Set<string>>, name: string, line: string): void {
  const lines = byName.get(name);
  if (lines) lines.add(line);
  else byName.set(name, new Set([line]));
}

function mayMean(line: string, names: readonly string[]): boolean {
  const [hosts = ""] = line.split(/\s/, 1);
  if (/^[@|]/.test(hosts)) return true;
  const patterns = hosts.toLowerCase().split(",");
  return patterns.some((pattern) => {
    const bare = pattern.replace(/^!/, "");
    return hasGlob(bare)
      ? names.some((name) => matchesPath(bare.replace(/[[\]]/g, "\\$&"), name))
      : names.includes(bare);
  });
}
