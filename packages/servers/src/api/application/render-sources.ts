import { type PermittedSource, permitSource } from "@capstan/engine";
import { type ApiResource, permittedRepository, repositoriesOf, secretReading } from "@capstan/kube";
import {
  type Application,
  type ApplicationSource,
  annotationKeys,
  apiVersionOf,
  CapstanError,
  hasMultipleSources,
  instanceName,
  projectOf,
  type Repository,
  sourcesOf,
} from "@capstan/model";
import type { ManifestRequest, ManifestResponse, RevisionRequest } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { findProject } from "../project/find-project.ts";

export type RenderNeeds = Pick<ApiContext, "repo" | "settings" | "clusters" | "live" | "controlNamespace">;

interface RenderOptions {
  /** By position of the source; what is absent comes from the source. */
  revisions?: readonly (string | undefined)[] | undefined;
  noCache?: boolean | undefined;
  /** Asks the repository for its newest commits, as one does who has just pushed. */
  noRevisionCache?: boolean | undefined;
  signal: AbortSignal;
}

/** Renders what an application's sources say, as the controller would. Sources that are only referred to give nothing. */
export async function renderSources(
  context: RenderNeeds,
  app: Application,
  options: RenderOptions,
): Promise<ManifestResponse[]> {
  const requests = await manifestRequests(context, app, options);
  return Promise.all(requests.map((request) => context.repo.generateManifests(request, options.signal)));
}

/** What the repo server is asked for each source that gives manifests. */
export async function manifestRequests(
  context: RenderNeeds,
  app: Application,
  options: RenderOptions,
): Promise<ManifestRequest[]> {
  const base = await baseRequest(context, app, options.signal);
  return sourcesOf(app).flatMap((source, index) => {
    if (source.path === undefined && source.chart === undefined) return [];
    const revision = options.revisions?.[index];
    return {
      ...base,
      ...revisionRequest(context, app, { source, revision }),
      ...(options.noCache ? { noCache: true } : {}),
      ...(options.noRevisionCache ? { noRevisionCache: true } : {}),
    };
  });
}

/** What the status says that git and cluster were compared at, so that the render is a hit. */
export function comparedRevisionsOf({ spec, status }: Application): readonly (string | undefined)[] {
  const sync = status?.sync;
  return hasMultipleSources(spec) ? (sync?.revisions ?? []) : [sync?.revision || undefined];
}

type BaseRequest = Omit<ManifestRequest, keyof RevisionRequest>;

async function baseRequest(
  context: RenderNeeds,
  app: Application,
  signal: AbortSignal,
): Promise<BaseRequest> {
  const { settings, clusters, controlNamespace } = context;
  const { general } = settings.current;
  const { discovery } = clusters.forDestination(app.spec.destination);
  const [kubeVersion, resources] = await Promise.all([
    discovery.serverVersion(signal),
    discovery.resources(signal),
  ]);
  const project = findProject(context, projectOf(app));
  const refs = refSources(context, app);
  const paths = app.metadata.annotations?.[annotationKeys.manifestGeneratePaths];
  return {
    appName: instanceName(app, controlNamespace),
    namespace: app.spec.destination.namespace ?? "",
    project: projectOf(app),
    kubeVersion,
    apiVersions: apiVersionsOf(resources),
    ...repositoriesOf(settings.current, projectOf(app)),
    settings: {
      kustomizeVersions: general.kustomizeVersions,
      disabledTypes: general.disabledTypes,
      helmValuesFileSchemes: general.helmValuesFileSchemes,
      withoutSubmodules: general.withoutSubmodules,
      ...(general.kustomizeBuildOptions === undefined
        ? {}
        : { kustomizeBuildOptions: general.kustomizeBuildOptions }),
    },
    ...(refs ? { refSources: refs } : {}),
    ...(project?.spec.sourceRepos ? { sourceRepos: project.spec.sourceRepos } : {}),
    ...secretReading(settings.current, app.spec.destination, project),
    ...(paths === undefined ? {} : { manifestGeneratePaths: paths }),
  };
}

/** Group versions, and with their kinds: `apps/v1` and `apps/v1/Deployment`. */
function apiVersionsOf(resources: readonly ApiResource[]): string[] {
  const versions = new Set<string>();
  for (const { group, version, kind } of resources) {
    const apiVersion = apiVersionOf(group, version);
    versions.add(apiVersion).add(`${apiVersion}/${kind}`);
  }
  return [...versions].sort();
}

function refSources(context: RenderNeeds, app: Application): ManifestRequest["refSources"] {
  const found: Record<string, { repository: Repository; source: ApplicationSource }> = {};
  for (const source of sourcesOf(app)) {
    if (source.ref) found[source.ref] = { repository: repositoryOf(context, app, source), source };
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Refuses what the project does not permit now, whatever the Application, its history or its operation says. */
function repositoryOf(context: SourceNeeds, app: Application, source: ApplicationSource): Repository {
  return permittedRepository(context.settings.current, requireSource(context, app, source));
}

export type SourceNeeds = Pick<ApiContext, "settings" | "live" | "controlNamespace">;

export function requireSource(
  context: Pick<SourceNeeds, "live" | "controlNamespace">,
  app: Application,
  source: ApplicationSource,
): PermittedSource {
  const project = findProject(context, projectOf(app));
  if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: projectOf(app) });
  return permitSource(project, source);
}

export function revisionRequest(
  context: SourceNeeds,
  app: Application,
  { source, revision }: { source: ApplicationSource; revision: string | undefined },
): RevisionRequest {
  return { repository: repositoryOf(context, app, source), source, ...(revision ? { revision } : {}) };
}
