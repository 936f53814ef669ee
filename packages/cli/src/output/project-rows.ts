import type { AppProject } from "@capstan/model";
import type { OutOf, Routes } from "@capstan/wire";
import { formatList } from "./table.ts";

const none = "<none>";

/** One entry is shown, several are counted (cmd/argocd/commands/project.go printProjectLine). */
export function projectTable(projects: readonly AppProject[], room?: number): string {
  const header = [
    "NAME",
    "DESCRIPTION",
    "DESTINATIONS",
    "SOURCES",
    "CLUSTER-RESOURCE-WHITELIST",
    "NAMESPACE-RESOURCE-BLACKLIST",
    "SIGNATURE-KEYS",
    "ORPHANED-RESOURCES",
    "DESTINATION-SERVICE-ACCOUNTS",
  ];
  return formatList([header, ...projects.map(row)], room);
}

function row({ metadata, spec }: AppProject): string[] {
  const {
    destinations = [],
    sourceRepos = [],
    clusterResourceWhitelist = [],
    namespaceResourceBlacklist = [],
  } = spec;
  return [
    metadata.name,
    spec.description ?? "",
    oneOrCount(
      destinations.map(({ server, name, namespace }) => `${server || name || ""},${namespace ?? ""}`),
      "destinations",
    ),
    oneOrCount(sourceRepos, "repos"),
    oneOrCount(
      clusterResourceWhitelist.map(({ group, kind }) => `${group}/${kind}`),
      "resources",
    ),
    countOf(namespaceResourceBlacklist, "resources"),
    countOf(spec.signatureKeys ?? [], "key(s)"),
    describeOrphaned(spec),
    oneOrCount(
      (spec.destinationServiceAccounts ?? []).map(
        (one) => `${one.server},${one.namespace ?? ""},${one.defaultServiceAccount}`,
      ),
      "destinationServiceAccounts",
    ),
  ];
}

function countOf(entries: readonly unknown[], what: string): string {
  return entries.length === 0 ? none : `${entries.length} ${what}`;
}

function describeOrphaned({ orphanedResources }: AppProject["spec"]): string {
  if (!orphanedResources) return "disabled";
  const { warn = false, ignore = [] } = orphanedResources;
  return `enabled (warn=${warn}${ignore.length > 0 ? `, ignored ${ignore.length}` : ""})`;
}

function oneOrCount(entries: readonly string[], what: string): string {
  const [first] = entries;
  if (first === undefined) return none;
  return entries.length === 1 ? first : `${entries.length} ${what}`;
}

/** As `argocd proj get` lays it out. */
export function projectSummary({
  project,
  repositories,
  clusters,
}: OutOf<Routes["getDetailedProject"]>): string {
  const { metadata, spec } = project;
  const lines: string[] = [];
  const add = (label: string, values: readonly string[]): void => {
    const [first = none, ...rest] = values;
    lines.push(`${`${label}:`.padEnd(29)}${first}`, ...rest.map((value) => " ".repeat(29) + value));
  };
  add("Name", [metadata.name]);
  add("Description", [spec.description ?? ""]);
  add(
    "Destinations",
    (spec.destinations ?? []).map(
      ({ server, name, namespace }) => `${server || name || ""},${namespace ?? ""}`,
    ),
  );
  add("Repositories", spec.sourceRepos ?? []);
  add("Source Namespaces", spec.sourceNamespaces ?? []);
  add(
    "Scoped Repositories",
    repositories.map(({ repo }) => repo),
  );
  add(
    "Allowed Cluster Resources",
    (spec.clusterResourceWhitelist ?? []).map(({ group, kind }) => `${group}/${kind}`),
  );
  add(
    "Scoped Clusters",
    clusters.map(({ server }) => server),
  );
  add(
    "Denied Namespaced Resources",
    (spec.namespaceResourceBlacklist ?? []).map(({ group, kind }) => `${group}/${kind}`),
  );
  const keys = (spec.signatureKeys ?? []).map(({ keyID }) => keyID);
  add("Signature keys", keys.length > 0 ? [keys.join(", ")] : []);
  add("Orphaned Resources", [describeOrphaned(spec)]);
  return `${lines.join("\n")}\n`;
}
