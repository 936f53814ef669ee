import type { LiveState } from "@capstan/kube";
import { type AppProject, isRecord, type Manifest } from "@capstan/model";

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

/** Projects live in the control namespace alone. */
export function findProject(
  { live, controlNamespace }: { live: Pick<LiveState, "get">; controlNamespace: string },
  name: string,
): AppProject | undefined {
  const found = live.get(projectKey(controlNamespace, name));
  return isProject(found) ? found : undefined;
}
