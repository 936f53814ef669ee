import type { AppProject } from "@capstan/model";
import { type GlobalProject, withGlobalProjects } from "./global-projects.ts";
import { type ScopedResources, withOwnResources } from "./own-resources.ts";

interface InForce {
  readonly settings: ScopedResources & {
    readonly general: { readonly globalProjects: readonly GlobalProject[] };
  };
  /** All of the control namespace. */
  projectOf(name: string): AppProject | undefined;
}

/** The project that its applications are judged by, with what others and the settings add to it. */
export function projectInForce(project: AppProject, { settings, projectOf }: InForce): AppProject {
  const { globalProjects } = settings.general;
  return withOwnResources(withGlobalProjects(project, { globalProjects, projectOf }), settings);
}
