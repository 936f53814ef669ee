import { selectsLabels } from "@capstan/formats";
import type { AppProject } from "@capstan/model";

/** Which projects get the rules of which other one (argocd-cm globalProjects). */
export interface GlobalProject {
  readonly projectName: string;
  /** A metav1.LabelSelector over projects' labels; an empty one chooses all. */
  readonly labelSelector: unknown;
}

interface Globals {
  readonly globalProjects: readonly GlobalProject[];
  /** All of the control namespace. */
  projectOf(name: string): AppProject | undefined;
}

/** Those that add their rules to a project; one that is not there adds none (util/argo GetGlobalProjects). */
export function globalProjectsOf(
  { metadata }: AppProject,
  { globalProjects, projectOf }: Globals,
): AppProject[] {
  return globalProjects.flatMap(({ projectName, labelSelector }) => {
    if (projectName === metadata.name || !selectsLabels(labelSelector, metadata.labels ?? {})) return [];
    return projectOf(projectName) ?? [];
  });
}

/** What projects get of a global one; everything else of it is its own (util/argo mergeVirtualProject). */
const added = [
  "sourceRepos",
  "destinations",
  "clusterResourceWhitelist",
  "clusterResourceBlacklist",
  "namespaceResourceWhitelist",
  "namespaceResourceBlacklist",
  "syncWindows",
  "destinationServiceAccounts",
] as const satisfies readonly (keyof AppProject["spec"])[];

/** The part of a global project that other projects get. */
export function sharedRules({ spec }: AppProject): Partial<AppProject["spec"]> {
  const shared: Partial<AppProject["spec"]> = {};
  for (const field of added) if (spec[field] !== undefined) Object.assign(shared, { [field]: spec[field] });
  return shared;
}

interface Merged {
  readonly from: readonly AppProject[];
  readonly project: AppProject;
}

const merged = new WeakMap<AppProject, Merged>();

/** The project that its applications are judged by. The same one as long as nothing of it has changed. */
export function withGlobalProjects(project: AppProject, globals: Globals): AppProject {
  const from = globalProjectsOf(project, globals);
  if (from.length === 0) return project;
  const known = merged.get(project);
  if (known && known.from.length === from.length && known.from.every((one, at) => one === from[at]))
    return known.project;
  const made = { ...project, spec: from.reduce(merge, project.spec) };
  merged.set(project, { from, project: made });
  return made;
}

/** A list that neither has stays absent: without a whitelist of kinds everything is allowed. */
function merge(own: AppProject["spec"], { spec }: AppProject): AppProject["spec"] {
  const both = { ...own };
  for (const field of added) {
    const more = spec[field] ?? [];
    if (more.length > 0) Object.assign(both, { [field]: [...(own[field] ?? []), ...more] });
  }
  return both;
}
