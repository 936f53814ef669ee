import { matchesGlob, matchesPath } from "@capstan/formats";
import type {
  ApplicationDestination,
  AppProject,
  ClusterResourceRule,
  Failure,
  GroupKindRule,
  KindRule,
  ResourceKey,
} from "@capstan/model";
import { permitsAddress } from "@capstan/model";
import { matchesRegexp } from "./regexp.ts";

/** A destination with both of its names, as resolved against the clusters that are known. */
export interface ResolvedDestination {
  server: string;
  name: string;
  namespace: string;
}

export function permitsSource({ spec }: AppProject, url: string): boolean {
  return permitsAddress(spec.sourceRepos ?? [], url);
}

/** v1alpha1 AppProject.IsDestinationPermitted, with its order of precedence among denials. */
export function permitsDestination({ spec }: AppProject, destination: ResolvedDestination): boolean {
  let isPermitted = false;
  for (const entry of spec.destinations ?? []) {
    const verdict = judgeDestination(entry, destination);
    if (verdict === "deny") return false;
    isPermitted ||= verdict === "allow";
  }
  return isPermitted;
}

function judgeDestination(
  entry: ApplicationDestination,
  { server, name, namespace }: ResolvedDestination,
): "allow" | "deny" | "pass" {
  const onServer = matchesPart(entry.server ?? "", server);
  const onName = matchesPart(entry.name ?? "", name);
  const inNamespace = matchesPart(entry.namespace ?? "", namespace);
  if (onName.isDenial && onName.isHit) return "deny";
  if (onServer.isDenial && onServer.isHit && inNamespace.allows) return "deny";
  const onCluster = onServer.allows || onName.allows;
  if (inNamespace.isDenial && inNamespace.isHit && onCluster) return "deny";
  return onCluster && inNamespace.allows ? "allow" : "pass";
}

interface PartMatch {
  isDenial: boolean;
  /** The pattern behind a possible `!` matches. */
  isHit: boolean;
  allows: boolean;
}

function matchesPart(pattern: string, value: string): PartMatch {
  const isDenial = pattern.startsWith("!");
  const bare = isDenial ? pattern.slice(1) : pattern;
  const isHit = pattern !== "" && matchesGlob(bare, value);
  return { isDenial, isHit, allows: isDenial ? !isHit : isHit };
}

/**
 * The list of the project that keeps a kind out; nothing when it is permitted. An empty cluster whitelist permits
 * nothing, an absent namespace whitelist everything; blacklists win (v1alpha1 AppProject.IsGroupKindNamePermitted).
 */
export function ruleAgainstKind(
  { spec }: AppProject,
  { group, kind, name }: ResourceKey,
  namespaced: boolean,
): KindRule | undefined {
  const object = { group, kind, name };
  if (namespaced) {
    const allowed = spec.namespaceResourceWhitelist;
    if (allowed !== undefined && !isInList(allowed, object)) return "namespaceResourceWhitelist";
    return isInList(spec.namespaceResourceBlacklist ?? [], object) ? "namespaceResourceBlacklist" : undefined;
  }
  if (!isInList(spec.clusterResourceWhitelist ?? [], object)) return "clusterResourceWhitelist";
  // The server has yet to choose the name: it may become any that is forbidden.
  const denied = spec.clusterResourceBlacklist ?? [];
  const isDenied = name === "" ? isInList(denied.map(withoutName), object) : isInList(denied, object);
  return isDenied ? "clusterResourceBlacklist" : undefined;
}

function withoutName({ group, kind }: ClusterResourceRule): GroupKindRule {
  return { group, kind };
}

function isInList(
  rules: readonly (ClusterResourceRule | GroupKindRule)[],
  object: { group: string; kind: string; name: string },
): boolean {
  return rules.some(
    (rule) =>
      matchesPath(rule.group, object.group) &&
      matchesPath(rule.kind, object.kind) &&
      (!("name" in rule) || (rule.name ?? "") === "" || matchesPath(rule.name ?? "", object.name)),
  );
}

/** Applications may stand in the control namespace and in those that match; `/…/` is a regular expression. */
export function permitsNamespace({ spec }: AppProject, namespace: string, controlNamespace: string): boolean {
  return namespace === controlNamespace || matchesAnyName(spec.sourceNamespaces ?? [], namespace);
}

export function matchesAnyName(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    const isExpression = pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/");
    return isExpression ? matchesRegexp(pattern.slice(1, -1), name) : matchesGlob(pattern, name);
  });
}

export interface PermissionInput {
  project: AppProject;
  repositories: readonly string[];
  destination: ResolvedDestination;
  applicationNamespace: string;
  controlNamespace: string;
}

/** Everything that a project forbids of an application. */
export function checkPermissions(input: PermissionInput): Failure[] {
  const { project, destination } = input;
  const name = project.metadata.name;
  const failures: Failure[] = [];
  if (!permitsNamespace(project, input.applicationNamespace, input.controlNamespace)) {
    failures.push({ code: "NAMESPACE_FORBIDDEN", project: name, namespace: input.applicationNamespace });
  }
  for (const repository of new Set(input.repositories)) {
    if (!permitsSource(project, repository))
      failures.push({ code: "SOURCE_FORBIDDEN", project: name, repository });
  }
  if (!permitsDestination(project, destination)) {
    const cluster = destination.server === "" ? destination.name : destination.server;
    failures.push({
      code: "DESTINATION_FORBIDDEN",
      project: name,
      destination: cluster,
      namespace: destination.namespace,
    });
  }
  return failures;
}
