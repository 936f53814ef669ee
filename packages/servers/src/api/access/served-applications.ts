import { isApplicationNamespace, permitsNamespace } from "@capstan/engine";
import type { LiveState, Settings } from "@capstan/kube";
import { type Application, projectOf } from "@capstan/model";
import { findProject } from "./find-project.ts";

export interface ServingNeeds {
  readonly settings: { readonly current: Settings };
  readonly live: Pick<LiveState, "get">;
  readonly controlNamespace: string;
}

/** Whether Applications may stand in a namespace, as far as the operator's settings say. */
export function isServedNamespace(
  { settings, controlNamespace }: Omit<ServingNeeds, "live">,
  namespace: string,
): boolean {
  const setting = settings.current.params["application.namespaces"];
  return isApplicationNamespace(namespace, { controlNamespace, setting });
}

/**
 * Applications of the control namespace, and those of other namespaces that both the operator and the project that
 * they name let have some. For all others there is no API: anybody who may write there could name any project.
 */
export function isServed(context: ServingNeeds, app: Application): boolean {
  const { controlNamespace } = context;
  const namespace = app.metadata.namespace ?? controlNamespace;
  if (namespace === controlNamespace) return true;
  if (!isServedNamespace(context, namespace)) return false;
  const project = findProject(context, projectOf(app));
  return project !== undefined && permitsNamespace(project, namespace, controlNamespace);
}
