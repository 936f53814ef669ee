import { matchesGlob } from "@capstan/formats";
import type { Application, AppProject } from "@capstan/model";

/** Globs of label keys, as `resource.includeEventLabelKeys` and `resource.excludeEventLabelKeys` have them. */
export interface EventLabelKeys {
  include: readonly string[];
  exclude: readonly string[];
}

/** Labels of an event about an application: its own, then its project's (Argo CD: util/argo/argo.go GetAppEventLabels). */
export function eventLabels(
  app: Pick<Application, "metadata">,
  project: Pick<AppProject, "metadata"> | undefined,
  { include, exclude }: EventLabelKeys,
): Readonly<Record<string, string>> | undefined {
  if (include.length === 0) return undefined;
  const all = { ...project?.metadata.labels, ...app.metadata.labels };
  const matches = (globs: readonly string[], key: string) => globs.some((glob) => matchesGlob(glob, key));
  const chosen = Object.entries(all).filter(([key]) => matches(include, key) && !matches(exclude, key));
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}
