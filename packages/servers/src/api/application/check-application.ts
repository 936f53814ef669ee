import { type Application, CapstanError, projectOf } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { findProject } from "../project/find-project.ts";
import { renderSources } from "./render-sources.ts";

type Needs = Pick<ApiContext, "live" | "controlNamespace" | "clusters" | "repo" | "settings">;

interface Options {
  /** Also renders the sources, so that a wrong path or chart is refused now and not found later. */
  validate: boolean;
  signal: AbortSignal;
}

/** Refuses what could never work. Project and destination are checked always, as in Argo CD. */
export async function checkApplication(context: Needs, app: Application, options: Options): Promise<void> {
  const { controlNamespace, clusters } = context;
  const { namespace } = app.metadata;
  const project = projectOf(app);
  const rules = findProject(context, project);
  if (rules === undefined) throw new CapstanError({ code: "PROJECT_MISSING", project });
  if (namespace !== controlNamespace && !rules.spec.sourceNamespaces?.includes(namespace ?? ""))
    throw new CapstanError({ code: "NAMESPACE_FORBIDDEN", project, namespace: namespace ?? "" });
  clusters.forDestination(app.spec.destination);
  if (options.validate) await renderSources(context, app, { signal: options.signal });
}
