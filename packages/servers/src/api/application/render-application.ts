import { type PermittedSource, permitSource } from "@capstan/engine";
import type { ApplicationSource } from "@capstan/model";
import { type Application, projectOf, sourcesOf } from "@capstan/model";
import {
  type Desired,
  isRefOnly,
  renderDesired,
  renderRequests,
  revisionRequest as requestOfProject,
} from "@capstan/planning";
import type { ManifestRequest, RevisionRequest } from "@capstan/wire";
import { requireRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";

export type RenderNeeds = Pick<ApiContext, "repo" | "settings" | "clusters" | "live" | "controlNamespace">;

export interface RenderOptions {
  /** Instead of the application's own. */
  sources?: readonly ApplicationSource[] | undefined;
  /** By position of the source; what is absent comes from the source. */
  revisions?: readonly (string | undefined)[] | undefined;
  /** JSON texts instead of a render. */
  manifests?: readonly string[] | undefined;
  noCache?: boolean | undefined;
  /** A packed folder that stands for the repository. */
  uploaded?: string | undefined;
  /** Asks the repository for its newest commits, as one does who has just pushed. */
  askRemote?: boolean | undefined;
  signal: AbortSignal;
}

/** What an application's sources say, as the controller has it. */
export function renderApplication(
  context: RenderNeeds,
  app: Application,
  options: RenderOptions,
): Promise<Desired> {
  return renderDesired(context, inputOf(context, app, options), options.signal);
}

/** What the repo server is asked for each source that gives manifests. */
export async function manifestRequests(
  context: RenderNeeds,
  app: Application,
  options: RenderOptions,
): Promise<ManifestRequest[]> {
  const requests = await renderRequests(context, inputOf(context, app, options), options.signal);
  return requests.filter(({ source }) => !isRefOnly(source));
}

function inputOf(context: RenderNeeds, app: Application, { signal: _, ...options }: RenderOptions) {
  const { discovery } = context.clusters.forDestination(app.spec.destination);
  const project = requireRules(context, projectOf(app));
  return { ...options, app, project, discovery, sources: options.sources ?? sourcesOf(app) };
}

export type SourceNeeds = Pick<ApiContext, "settings" | "live" | "controlNamespace">;

export function requireSource(
  context: SourceNeeds,
  app: Application,
  source: ApplicationSource,
): PermittedSource {
  return permitSource(requireRules(context, projectOf(app)), source);
}

export function revisionRequest(
  context: SourceNeeds,
  app: Application,
  asked: { source: ApplicationSource; revision: string | undefined },
): RevisionRequest {
  return requestOfProject(context, requireRules(context, projectOf(app)), asked);
}
