import { projectInForce } from "@capstan/engine";
import type { LiveState, Settings } from "@capstan/kube";
import { type AppProject, isAppProject, type Manifest } from "@capstan/model";

export const group = "argoproj.io";

interface Needs {
  /** Projects among others, as they are watched for the API anyway. */
  readonly live: Pick<LiveState, "get">;
  readonly settings: { readonly current: Settings };
  readonly controlNamespace: string;
}

export function findObject(
  live: Pick<LiveState, "get">,
  ref: { kind: "AppProject"; namespace: string; name: string },
): Manifest | undefined {
  return live.get({ group, ...ref });
}

/** A project with what global projects and the settings add to it. */
export function findProject(
  { live, settings, controlNamespace: namespace }: Needs,
  name: string,
): AppProject | undefined {
  const projectOf = (one: string) => {
    const found = findObject(live, { kind: "AppProject", namespace, name: one });
    return found && isAppProject(found) ? found : undefined;
  };
  const own = projectOf(name);
  return own && projectInForce(own, { settings: settings.current, projectOf });
}
