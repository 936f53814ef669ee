import type { Identity } from "../../call.ts";
import { isServedNamespace } from "../access/served-applications.ts";
import { readSelector } from "../application/application-query.ts";
import { type ApplicationSetNeeds, allowsSet, type StoredSet } from "./find-application-set.ts";

interface Query {
  readonly name?: string | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly appsetNamespace?: string | undefined;
}

/** Whether a set is asked for, and the caller may see it. */
export function applicationSetFilter(
  context: ApplicationSetNeeds,
  query: Query,
  user: Identity,
): (set: StoredSet) => boolean {
  const { controlNamespace } = context;
  const projects = new Set(query.projects);
  const hasLabels = query.selector ? readSelector(query.selector) : () => true;
  return (set) => {
    const { name, namespace = controlNamespace, labels = {} } = set.metadata;
    if (query.name && name !== query.name) return false;
    if (query.appsetNamespace && namespace !== query.appsetNamespace) return false;
    if (projects.size > 0 && !projects.has(set.spec.template.spec.project)) return false;
    if (!hasLabels(labels)) return false;
    if (namespace !== controlNamespace && !isServedNamespace(context, namespace)) return false;
    return allowsSet(context, user, { action: "get", set });
  };
}
