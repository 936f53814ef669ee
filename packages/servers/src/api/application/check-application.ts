import { applicationNotices, checkPermissions, clusterRefusal } from "@capstan/engine";
import {
  type Application,
  CapstanError,
  type Failure,
  projectOf,
  sourcesOf,
  validateApplication,
} from "@capstan/model";
import { requireRules } from "../access/find-project.ts";
import { isServedNamespace } from "../access/served-applications.ts";
import type { ApiContext } from "../context.ts";
import { onceInstalled } from "./once-installed.ts";
import { renderApplication } from "./render-application.ts";

type Needs = Pick<ApiContext, "live" | "controlNamespace" | "clusters" | "repo" | "settings" | "clock">;

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
      problem: `namespace '${namespace}' is not permitted: application.namespaces of ConfigMap argocd-cmd-params-cm does not name it`,
    });
  const project = requireRules(context, projectOf(app));
  const destination = clusters.forDestination(app.spec.destination);
  const { server, name: cluster } = destination;
  const scope = clusterRefusal(project, destination);
  if (scope) throw new CapstanError(scope);
  const failures = checkPermissions({
    project,
    repositories: sourcesOf(app).map(({ repoURL }) => repoURL),
    destination: { server, name: cluster, namespace: app.spec.destination.namespace ?? "" },
    applicationNamespace: namespace,
    controlNamespace,
  });
  refuseForbidden(app, failures);
  for (const notice of applicationNotices(app)) options.warn?.(notice);
  if (!options.validate) return;
  const [{ clock }, { signal }] = [context, options];
  const render = (askRemote: boolean) => renderApplication(context, app, { askRemote, signal });
  await onceInstalled(render, { clock, signal });
}

/** All at once, so that a project is mended once. */
function refuseForbidden(app: Application, [first, ...others]: readonly Failure[]): void {
  if (!first) return;
  if (others.length === 0) throw new CapstanError(first);
  const problems = [first, ...others].map((failure) => ({
    field: "spec",
    severity: "error" as const,
    message: new CapstanError(failure).message,
  }));
  throw new CapstanError({ code: "INVALID_SPEC", what: `application "${app.metadata.name}"`, problems });
}
