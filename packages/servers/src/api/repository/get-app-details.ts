import { isDeepStrictEqual } from "node:util";
import {
  type Application,
  type ApplicationSource,
  applicationSourceSchema,
  CapstanError,
  checkShape,
  inClusterServer,
  projectOf,
  sourcesOf,
} from "@capstan/model";
import type { HandlerOf, Identity } from "../../call.ts";
import { sourceDetails } from "../../source-details.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import { manifestRequests, type RenderNeeds } from "../application/render-application.ts";
import { type ReadingNeeds, readableRepository } from "./readable-repository.ts";

type Needs = ReadingNeeds & RenderNeeds;

/**
 * By what a source would be rendered and what can be set for it. Of an application that exists only what its sources
 * are, or were at a deployment (server/repository GetAppDetails).
 */
export function getRepositoryAppDetails(context: Needs): HandlerOf<"getRepositoryAppDetails"> {
  return async ({ source: given, appProject, appName = "" }, { user, signal }) => {
    const source = readSource(given);
    readableRepository(context, { source, appProject, user });
    const app = requireOwner(context, { source, appName, project: appProject || "default", user });
    const [request] = await manifestRequests(context, app, { sources: [source], signal });
    if (!request) return { type: "Directory", directory: {} };
    return sourceDetails(await context.repo.describeSource(request, signal));
  };
}

interface Owner {
  source: ApplicationSource;
  appName: string;
  project: string;
  user: Identity;
}

function requireOwner(context: Needs, { source, appName, project, user }: Owner): Application {
  const { rights, live, controlNamespace } = context;
  const [name = "", namespace = controlNamespace] = appName.split("/").reverse();
  const wanted: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace },
    spec: { project, source, destination: { server: inClusterServer, namespace: "default" } },
  };
  const object = applicationObject(wanted, controlNamespace);
  requireRight(rights, user, { resource: "applications", action: "get", object });
  const found = live.get({ group: applicationGroup, kind: "Application", namespace, name });
  if (!isApplication(found)) {
    requireRight(rights, user, { resource: "applications", action: "create", object });
    return wanted;
  }
  if (projectOf(found) === project && isOwnSource(found, source)) return found;
  const what = `details of a source of applications ${object}`;
  throw new CapstanError({ code: "FORBIDDEN", action: "get", what, user: user.name });
}

function isOwnSource(app: Application, wanted: ApplicationSource): boolean {
  const deployed = (app.status?.history ?? []).flatMap(({ source, sources = [] }) =>
    [source ?? [], sources].flat(),
  );
  return [...sourcesOf(app), ...deployed].some((one) => isDeepStrictEqual(one, wanted));
}

function readSource(source: ApplicationSource | undefined): ApplicationSource {
  const problems = checkShape(applicationSourceSchema.shape, source).filter(
    ({ severity }) => severity === "error",
  );
  if (source && problems.length === 0) return source;
  throw new CapstanError({ code: "INVALID_SPEC", what: "source", problems });
}
