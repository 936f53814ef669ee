import { isRecord } from "@capstan/model";
import { listAt } from "../read-json.ts";

/** One entry of resource.exclusions or resource.inclusions; empty lists match everything. */
export interface KindFilter {
  apiGroups: readonly string[];
  kinds: readonly string[];
  clusters: readonly string[];
}

export function readKindFilters(value: unknown): KindFilter[] {
  const entries = Array.isArray(value) ? value.filter(isRecord) : [];
  return entries.map((entry) => ({
    apiGroups: listAt(entry, "apiGroups").map(String),
    kinds: listAt(entry, "kinds").map(String),
    clusters: listAt(entry, "clusters").map(String),
  }));
}

/** Source: util/settings/resources_filter.go IsExcludedResource: an inclusion list admits only what it names. */
export function isExcludedKind(
  { exclusions, inclusions }: { exclusions: readonly KindFilter[]; inclusions: readonly KindFilter[] },
  kind: { group: string; kind: string },
  server: string,
): boolean {
  if (inclusions.length > 0 && !inclusions.some((filter) => matches(filter, kind, server))) return true;
  return exclusions.some((filter) => matches(filter, kind, server));
}

function matches(
  filter: KindFilter,
  { group, kind }: { group: string; kind: string },
  server: string,
): boolean {
  const any = (patterns: readonly string[], text: string) =>
    patterns.length === 0 || patterns.some((pattern) => matchesWildcard(pattern, text));
  const kindMatches = filter.kinds.length === 0 || filter.kinds.includes("*") || filter.kinds.includes(kind);
  return kindMatches && any(filter.apiGroups, group) && any(filter.clusters, server);
}

function matchesWildcard(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`, "s").test(text);
}
