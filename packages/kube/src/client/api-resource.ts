import { isRecord } from "@capstan/formats";
import { listAt, recordAt, textAt } from "../read-json.ts";

/** One served kind: a row of discovery. */
export interface ApiResource {
  group: string;
  version: string;
  kind: string;
  /** Plural name, the last part of its path. */
  resource: string;
  namespaced: boolean;
  verbs: readonly string[];
  shortNames: readonly string[];
  subresources: readonly string[];
  /** The version that the server prefers for this kind. */
  preferred: boolean;
}

type Fields = Record<string, unknown>;

/** Rows of an APIGroupDiscoveryList (aggregated discovery, KEP-3352). The first version is the preferred one. */
export function readAggregated(document: unknown): ApiResource[] {
  const rows: ApiResource[] = [];
  for (const item of itemsOf(document, "items")) {
    const group = textAt(recordAt(item, "metadata"), "name") ?? "";
    const seen = new Set<string>();
    for (const version of itemsOf(item, "versions")) {
      for (const resource of itemsOf(version, "resources")) {
        const row = aggregatedRow(group, textAt(version, "version") ?? "", resource);
        if (!row) continue;
        rows.push({ ...row, preferred: !seen.has(row.kind) });
        seen.add(row.kind);
      }
    }
  }
  return rows;
}

function aggregatedRow(
  group: string,
  version: string,
  resource: Fields,
): Omit<ApiResource, "preferred"> | undefined {
  const name = textAt(resource, "resource");
  const kind = textAt(recordAt(resource, "responseKind"), "kind");
  if (!name || !kind) return undefined;
  return {
    group,
    version,
    kind,
    resource: name,
    namespaced: textAt(resource, "scope") === "Namespaced",
    verbs: listAt(resource, "verbs").map(String),
    shortNames: listAt(resource, "shortNames").map(String),
    subresources: itemsOf(resource, "subresources").map((entry) => textAt(entry, "subresource") ?? ""),
  };
}

/** Rows of one APIResourceList, the form of servers without aggregated discovery. */
export function readResourceList(document: unknown, groupVersion: string): Omit<ApiResource, "preferred">[] {
  const slash = groupVersion.indexOf("/");
  const group = slash < 0 ? "" : groupVersion.slice(0, slash);
  const version = groupVersion.slice(slash + 1);
  const entries = itemsOf(document, "resources");
  const rows: Omit<ApiResource, "preferred">[] = [];
  for (const entry of entries) {
    const name = textAt(entry, "name") ?? "";
    const kind = textAt(entry, "kind");
    if (!kind || name === "" || name.includes("/")) continue;
    rows.push({
      group,
      version,
      kind,
      resource: name,
      namespaced: entry.namespaced === true,
      verbs: listAt(entry, "verbs").map(String),
      shortNames: listAt(entry, "shortNames").map(String),
      subresources: entries
        .map((other) => textAt(other, "name") ?? "")
        .filter((other) => other.startsWith(`${name}/`))
        .map((other) => other.slice(name.length + 1)),
    });
  }
  return rows;
}

/** Group versions of an APIGroupList, the preferred one of each group first. */
export function readGroupVersions(document: unknown): string[] {
  const found: string[] = [];
  for (const group of itemsOf(document, "groups")) {
    const preferred = textAt(recordAt(group, "preferredVersion"), "groupVersion");
    const all = itemsOf(group, "versions").map((version) => textAt(version, "groupVersion") ?? "");
    if (preferred) found.push(preferred);
    found.push(...all.filter((version) => version !== "" && version !== preferred));
  }
  return found;
}

function itemsOf(document: unknown, field: string): Fields[] {
  return isRecord(document) ? listAt(document, field).filter(isRecord) : [];
}
