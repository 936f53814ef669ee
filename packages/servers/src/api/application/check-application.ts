import { applicationNotices, checkPermissions, clusterRefusal } from "@capstan/engine";
import { type Application, CapstanError, projectOf, sourcesOf, validateApplication } from "@capstan/model";
import { requireRules } from "../access/find-project.ts";
import { isServedNamespace } from "../access/served-applications.ts";
import type { ApiContext } from "../context.ts";
import { renderApplication } from "./render-application.ts";

type Needs = Pick<ApiContext, "live" | "controlNamespace" | "clusters" | "repo" | "settings">;

interface Options {
  /** Also renders the sources, so that a wrong path or chart is refused now and not found later. */
  validate: boolean;
  signal: AbortSignal;
  /** Tells the caller of what has no effect. */
  warn?: ((text: string) => void) | undefined;
}

/** Refuses what could never work. Project and destination are checked always, as in Argo CD. */
export async function checkApplication(context: Needs, app: Application, options: Options): Promise<void> {
  const { controlNamespace, clusters } = context;
  const problems = validateApplication(app).filter(({ severity }) => severity === "error");
  if (problems.length > 0)
    throw new CapstanError({ code: "INVALID_SPEC", what: `application "${app.metadata.name}"`, problems });
  const namespace = app.metadata.namespace ?? controlNamespace;
  if (!isServedNamespace(context, namespace))
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "metadata.namespace",
      problem: `namespace "${namespace}" is not permitted: application.namespaces of ConfigMap argocd-cmd-params-cm does not name it`,
    });
  const project = requireRules(context, projectOf(app));
  const destination = clusters.forDestination(app.spec.destination);
  const { server, name: cluster } = destination;
  const scope = clusterRefusal(project, destination);
  if (scope) throw new CapstanError(scope);
  const [failure] = checkPermissions({
    project,
    repositories: sourcesOf(app).map(({ repoURL }) => repoURL),
    destination: { server, name: cluster, namespace: app.spec.destination.namespace ?? "" },
    applicationNamespace: namespace,
    controlNamespace,
  });
  if (failure) throw new CapstanError(failure);
  for (const notice of applicationNotices(app)) options.warn?.(notice);
  if (options.validate) await renderApplication(context, app, { askRemote: true, signal: options.signal });
}
