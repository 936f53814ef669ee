import type { AppProject } from "@capstan/model";
import { formatTable } from "./table.ts";

const none = "<none>";

/** One entry is shown, several are counted (cmd/argocd/commands/project.go printProjectLine). */
export function projectTable(projects: readonly AppProject[]): string {
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
  return formatTable([header, ...projects.map(row)]);
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
    oneOrCount(
      namespaceResourceBlacklist.map(({ group, kind }) => `${group}/${kind}`),
      "resources",
    ),
    oneOrCount(
      (spec.signatureKeys ?? []).map(({ keyID }) => keyID),
      "key(s)",
    ),
    spec.orphanedResources ? `enabled (warn=${spec.orphanedResources.warn ?? false})` : "disabled",
    oneOrCount(
      (spec.destinationServiceAccounts ?? []).map((one) => one.defaultServiceAccount),
      "accounts",
    ),
  ];
}

function oneOrCount(entries: readonly string[], what: string): string {
  const [first] = entries;
  if (first === undefined) return none;
  return entries.length === 1 ? first : `${entries.length} ${what}`;
}

/** As `argocd proj get` lays it out. */
export function projectSummary({ metadata, spec }: AppProject): string {
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
    "Allowed Cluster Resources",
    (spec.clusterResourceWhitelist ?? []).map(({ group, kind }) => `${group}/${kind}`),
  );
  add(
    "Denied Namespaced Resources",
    (spec.namespaceResourceBlacklist ?? []).map(({ group, kind }) => `${group}/${kind}`),
  );
  add(
    "Roles",
    (spec.roles ?? []).map(({ name }) => name),
  );
  add(
    "Sync Windows",
    (spec.syncWindows ?? []).map(({ kind, schedule, duration }) => `${kind} ${schedule} ${duration}`),
  );
  add("Orphaned Resources", [
    spec.orphanedResources ? `enabled (warn=${spec.orphanedResources.warn ?? false})` : "disabled",
  ]);
  return `${lines.join("\n")}\n`;
}
