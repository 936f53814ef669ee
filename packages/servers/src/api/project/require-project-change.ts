import { isDeepStrictEqual } from "node:util";
import { checkPermissions, withOwnResources } from "@capstan/engine";
import { type Application, type AppProject, CapstanError, projectOf, sourcesOf } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "rights" | "live" | "controlNamespace" | "settings">;

interface Change {
  current: AppProject;
  wanted: AppProject;
  user: Identity;
}

/**
 * A project gets clusters and repositories from whom may change these, and loses none that its applications use
 * (server/project/project.go Update).
 */
export function requireProjectChange(context: Needs, { current, wanted, user }: Change): void {
  const added = (of: (project: AppProject) => readonly string[]) =>
    of(wanted).filter((one) => !of(current).includes(one));
  const clusters = isDeepStrictEqual(resourceLists(current), resourceLists(wanted))
    ? added(clustersOf)
    : clustersOf(wanted);
  for (const object of new Set(clusters))
    requireRight(context.rights, user, { resource: "clusters", action: "update", object });
  for (const object of new Set(added(({ spec }) => spec.sourceRepos ?? [])))
    requireRight(context.rights, user, { resource: "repositories", action: "update", object });
  requireValidApplications(context, { current, wanted });
}

function clustersOf({ spec }: AppProject): string[] {
  return (spec.destinations ?? []).flatMap(({ server }) => server ?? []);
}

function resourceLists({ spec }: AppProject): unknown[] {
  return [
    spec.clusterResourceWhitelist ?? [],
    spec.clusterResourceBlacklist ?? [],
    spec.namespaceResourceWhitelist ?? [],
    spec.namespaceResourceBlacklist ?? [],
  ];
}

/** Those of the control namespace: others' people are not kept from mending a project by what they do not see. */
function requireValidApplications(
  { live, controlNamespace, settings }: Needs,
  change: Omit<Change, "user">,
): void {
  const current = withOwnResources(change.current, settings.current);
  const wanted = withOwnResources(change.wanted, settings.current);
  const invalid = live
    .ofKind(applicationGroup, "Application")
    .filter(isApplication)
    .filter(({ metadata }) => metadata.namespace === controlNamespace)
    .filter((app) => projectOf(app) === wanted.metadata.name)
    .filter(
      (app) => isPermitted(current, app, controlNamespace) && !isPermitted(wanted, app, controlNamespace),
    );
  if (invalid.length === 0) return;
  const names = invalid.map(({ metadata }) => metadata.name).sort();
  const problem = `as a result of the update the source or destination of ${names.length} applications would become invalid: ${names.slice(0, 5).join(", ")}. Move or delete them first`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "spec", problem });
}

function isPermitted(project: AppProject, app: Application, controlNamespace: string): boolean {
  const { server = "", name = "", namespace = "" } = app.spec.destination;
  const failures = checkPermissions({
    project,
    repositories: sourcesOf(app).map(({ repoURL }) => repoURL),
    destination: { server, name, namespace },
    applicationNamespace: app.metadata.namespace ?? controlNamespace,
    controlNamespace,
  });
  return failures.length === 0;
}
