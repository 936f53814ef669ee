import { isRecord } from "@capstan/formats";
import type { LiveState } from "@capstan/kube";
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

export function requireProject(needs: Needs, name: string): AppProject {
  const project = findProject(needs, name);
  if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: name });
  return project;
}
