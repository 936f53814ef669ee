import { isRecord, nearestName } from "@capstan/formats";
import { goRegexp, quoteRegexp } from "@capstan/formats/re2";
import { listAt } from "../read-json.ts";

/** One entry of resource.exclusions or resource.inclusions; empty lists match everything. */
export interface KindFilter {
  apiGroups: readonly string[];
  kinds: readonly string[];
  clusters: readonly string[];
}

const fields: readonly string[] = ["apiGroups", "kinds", "clusters"];

/** Tells of everything that is not a list of filters: a filter without its lists would match everything. */
export function readKindFilters(value: unknown, problem: (text: string) => void): KindFilter[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problem("is not a list of apiGroups, kinds and clusters");
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    if (!isRecord(entry)) {
      problem(`[${index}] is not an object with apiGroups, kinds and clusters`);
      return [];
    }
    for (const [field, given] of Object.entries(entry)) {
      const at = `[${index}].${field}`;
      if (!fields.includes(field)) problem(`${at} is not a field of a filter${hint(field)}`);
      else if (given !== null && !Array.isArray(given)) problem(`${at} is not a list`);
    }
    return [readFilter(entry)];
  });
}

function hint(field: string): string {
  const near = nearestName(field, fields);
  return near === undefined ? `: those are ${fields.join(", ")}` : `; did you mean ${near}?`;
}

function readFilter(entry: Readonly<Record<string, unknown>>): KindFilter {
  return {
    apiGroups: listAt(entry, "apiGroups").map(String),
    kinds: listAt(entry, "kinds").map(String),
    clusters: listAt(entry, "clusters").map(String),
  };
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
  const source = quoteRegexp(pattern)
    .replace(/(?:\\\*)+/g, ".*")
    .replaceAll("\\?", ".");
  return goRegexp(`(?s)^${source}$`).test(text);
}
