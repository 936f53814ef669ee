import { checkPermissions, clusterRefusal } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  CapstanError,
  isCapstanError,
  messageOf,
  projectOf,
  sourcesOf,
  validateApplication,
} from "@capstan/model";
import { openTenant } from "@capstan/planning";
import { type ApplicationRun, type LoadedRun, setConditions } from "../application-run.ts";
import { findProject } from "../find-project.ts";
import { unwritableStatus } from "../shorten-status.ts";

/** Finds the project and the cluster, and what forbids the application to be looked at any further. */
export function loadProject(run: ApplicationRun): LoadedRun | { problems: readonly string[] } {
  const { needs, app, draft } = run;
  const spec = draft.spec;
  const problems: string[] = [];
  const project = findProject(needs, projectOf({ spec }));
  if (!project)
    problems.push(new CapstanError({ code: "PROJECT_MISSING", project: projectOf({ spec }) }).message);
  const cluster = findCluster(run, problems);
  problems.push(...specProblems(app));
  if (project && cluster) {
    const failures = checkPermissions({
      project,
      repositories: sourcesOf({ spec }).map((source) => source.repoURL),
      destination: {
        server: cluster.server,
        name: cluster.name,
        namespace: spec.destination.namespace ?? "",
      },
      applicationNamespace: app.metadata.namespace ?? "",
      controlNamespace: needs.controlNamespace,
    });
    const scope = clusterRefusal(project, cluster);
    const all = scope ? [...failures, scope] : failures;
    problems.push(...all.map((failure) => new CapstanError(failure).message));
  }
  if (!project || !cluster || problems.length > 0) return { problems };
  const found = run.memory.comparison?.conditions ?? [];
  setConditions(
    run,
    ["InvalidSpecError", "UnknownError"],
    [...found.filter(({ type }) => type === "InvalidSpecError"), ...unwritableStatus(run)],
  );
  if (run.memory.cluster !== cluster) run.memory.reset();
  run.memory.cluster = cluster;
  return { run, project, cluster, tenant: openTenant(needs, { app, project, cluster }) };
}

function findCluster(run: ApplicationRun, problems: string[]): Cluster | undefined {
  try {
    return run.needs.clusters.forDestination(run.draft.spec.destination);
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    problems.push(messageOf(error));
    return undefined;
  }
}

const checkedSpecs = new WeakMap<Application["spec"], string[]>();

function specProblems(app: Application): string[] {
  const known = checkedSpecs.get(app.spec);
  if (known) return known;
  const problems = validateSpec(app);
  checkedSpecs.set(app.spec, problems);
  return problems;
}

function validateSpec(app: Application): string[] {
  // The status can be large, and nothing that is said of it is of the spec.
  const { status: _, ...said } = app;
  return validateApplication(said)
    .filter(
      ({ severity, field }) =>
        severity === "error" && field.startsWith("spec") && !field.startsWith("spec.destination"),
    )
    .map(({ field, message }) => `${field}: ${message}`);
}
