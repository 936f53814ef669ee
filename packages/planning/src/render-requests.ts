import { permitSource } from "@capstan/engine";
import {
  type ApiResource,
  type Discovery,
  permittedRepository,
  repositoriesOf,
  secretReading,
} from "@capstan/kube";
import {
  type Application,
  type ApplicationSource,
  type AppProject,
  annotationKeys,
  apiVersionOf,
  instanceName,
  projectOf,
} from "@capstan/model";
import type { ManifestRequest, RenderSettings, RevisionRequest } from "@capstan/wire";
import type { PlanningNeeds } from "./planning-needs.ts";

type Needs = Pick<PlanningNeeds, "settings" | "controlNamespace">;

export interface RenderInput {
  app: Application;
  project: AppProject;
  /** Of the destination: which kinds and versions it serves. */
  discovery: Discovery;
  sources: readonly ApplicationSource[];
  /** By position, instead of each source's targetRevision. */
  revisions?: readonly (string | undefined)[] | undefined;
  /** Ask the remote, even when a recent answer is known. */
  askRemote?: boolean | undefined;
  /** A kept answer of a remote counts only when the remote was asked at this time (ms since 1970) or later. */
  notBefore?: number | undefined;
  /** Hard refresh. */
  noCache?: boolean | undefined;
  /** Files instead of the repository's, as a ManifestRequest has them. */
  uploaded?: string | undefined;
}

/** A source that only lends files to others: a ref, and neither path nor chart. */
export function isRefOnly({ ref, path, chart }: ApplicationSource): boolean {
  return Boolean(ref) && !path && !chart;
}

/** What the repo server is asked for each source, in their order; of those that are ref-only the revision alone. */
export async function renderRequests(
  needs: Needs,
  input: RenderInput,
  signal: AbortSignal,
): Promise<ManifestRequest[]> {
  const { project, sources, revisions } = input;
  const common = await commonRequest(needs, input, signal);
  return sources.map((source, index) => ({
    ...common,
    ...revisionRequest(needs, project, { source, revision: revisions?.[index] }),
  }));
}

/** Refuses a source that the project does not permit now, whatever the Application, its history or its operation says. */
export function revisionRequest(
  { settings }: Pick<Needs, "settings">,
  project: AppProject,
  { source, revision }: { source: ApplicationSource; revision: string | undefined },
): RevisionRequest {
  const repository = permittedRepository(settings.current, permitSource(project, source));
  return { repository, source, ...(revision ? { revision } : {}) };
}

type Common = Omit<ManifestRequest, keyof RevisionRequest> & Pick<RevisionRequest, "uploaded">;

async function commonRequest(needs: Needs, input: RenderInput, signal: AbortSignal): Promise<Common> {
  const { app, discovery, project, noCache, askRemote, notBefore, uploaded } = input;
  const { current } = needs.settings;
  const [kubeVersion, rows] = await Promise.all([
    discovery.serverVersion(signal),
    discovery.resources(signal),
  ]);
  const paths = app.metadata.annotations?.[annotationKeys.manifestGeneratePaths];
  const refSources = refsOf(needs, input);
  return {
    appName: instanceName(app, needs.controlNamespace),
    namespace: app.spec.destination.namespace ?? "",
    project: projectOf(app),
    kubeVersion,
    apiVersions: apiVersionsOf(rows),
    settings: renderSettings(needs),
    ...repositoriesOf(current, projectOf(app)),
    ...(project.spec.sourceRepos ? { sourceRepos: project.spec.sourceRepos } : {}),
    ...secretReading(current, app.spec.destination, project),
    ...(refSources ? { refSources } : {}),
    ...(paths === undefined ? {} : { manifestGeneratePaths: paths }),
    ...(noCache ? { noCache } : {}),
    ...(uploaded === undefined ? {} : { uploaded }),
    ...(askRemote ? { noRevisionCache: true } : {}),
    ...(notBefore === undefined ? {} : { revisionNotBefore: notBefore }),
  };
}

function refsOf(needs: Needs, { project, sources }: RenderInput): Common["refSources"] {
  const refs: Record<string, NonNullable<Common["refSources"]>[string]> = {};
  for (const source of sources) {
    if (!source.ref) continue;
    const { repository } = revisionRequest(needs, project, { source, revision: undefined });
    refs[source.ref] = { repository, source };
  }
  return Object.keys(refs).length === 0 ? undefined : refs;
}

function renderSettings({ settings }: Needs): RenderSettings {
  const { general } = settings.current;
  const { kustomizeBuildOptions, kustomizeVersions, disabledTypes, helmValuesFileSchemes } = general;
  return {
    kustomizeVersions,
    disabledTypes,
    helmValuesFileSchemes,
    withoutSubmodules: general.withoutSubmodules,
    ...(kustomizeBuildOptions === undefined ? {} : { kustomizeBuildOptions }),
  };
}

const apiVersionLists = new WeakMap<readonly ApiResource[], readonly string[]>();

/**
 * Group versions and kinds as Helm's Capabilities.APIVersions has them, of what can be listed and watched (gitops-engine
 * GetAPIResources). Made once for each discovery answer.
 */
export function apiVersionsOf(rows: readonly ApiResource[]): readonly string[] {
  const known = apiVersionLists.get(rows);
  if (known) return known;
  const names = new Set<string>();
  for (const { group, version, kind, verbs } of rows) {
    if (!verbs.includes("list") || !verbs.includes("watch")) continue;
    names.add(apiVersionOf(group, version));
    names.add(`${apiVersionOf(group, version)}/${kind}`);
  }
  const list = [...names].sort();
  apiVersionLists.set(rows, list);
  return list;
}
