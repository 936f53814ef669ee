import { globalProjectsOf, projectInForce } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import type { LiveState, SettingsSource } from "@capstan/kube";
import { type AppProject, CapstanError, type Manifest } from "@capstan/model";

export function isProject(object: Manifest | undefined): object is Manifest & AppProject {
  return (
    object !== undefined &&
    object.kind === "AppProject" &&
    typeof object.metadata.name === "string" &&
    isRecord(object.spec)
  );
}

export function projectKey(namespace: string, name: string) {
  return { group: "argoproj.io", kind: "AppProject", namespace, name };
}

interface Needs {
  live: Pick<LiveState, "get">;
  controlNamespace: string;
}

/** Projects live in the control namespace alone. */
export function findProject({ live, controlNamespace }: Needs, name: string): AppProject | undefined {
  const found = live.get(projectKey(controlNamespace, name));
  return isProject(found) ? found : undefined;
}

interface RuleNeeds extends Needs {
  settings: Pick<SettingsSource, "current">;
}

/** As its applications are judged by it: with what global projects and the settings add to it. */
export function findRules(needs: RuleNeeds, name: string): AppProject | undefined {
  const own = findProject(needs, name);
  return own && projectInForce(own, { settings: needs.settings.current, projectOf: projectsOf(needs) });
}

export function requireRules(needs: RuleNeeds, name: string): AppProject {
  const project = findRules(needs, name);
  if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: name });
  return project;
}

/** Those that add to a project. */
export function findGlobalProjects(needs: RuleNeeds, project: AppProject): AppProject[] {
  const { globalProjects } = needs.settings.current.general;
  return globalProjectsOf(project, { globalProjects, projectOf: projectsOf(needs) });
}

function projectsOf(needs: Needs): (name: string) => AppProject | undefined {
  return (name) => findProject(needs, name);
}
