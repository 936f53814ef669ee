import { permitSource } from "@capstan/engine";
import {
  type ApiResource,
  permittedRepository,
  repositoriesOf,
  secretReading,
  type TenantCluster,
} from "@capstan/kube";
import {
  type Application,
  type ApplicationSource,
  type AppProject,
  annotationKeys,
  apiVersionOf,
  canonicalJson,
  instanceName,
  parseGivenManifests,
  projectOf,
} from "@capstan/model";
import type { ManifestRequest, RenderedManifest, RenderSettings, RenderTimings } from "@capstan/wire";
import type { ApplicationNeeds } from "./application-needs.ts";

/** What the repositories say should be there. */
export interface Desired {
  manifests: readonly RenderedManifest[];
  /** One for each source, ref-only ones included. */
  revisions: readonly string[];
  sources: readonly ApplicationSource[];
  sourceTypes: readonly string[];
  /** Renders that really ran. */
  renders: number;
  timings: readonly RenderTimings[];
  /** It holds secrets, which are to be asked for again after this time. */
  validForMs?: number;
  /** For the application's owner. */
  notes: readonly string[];
  /** When the remote of each source was asked for its revision; undefined where there was nothing to ask. */
  askedAt: readonly (number | undefined)[];
}

export interface RenderInput {
  app: Application;
  project: AppProject;
  cluster: Pick<TenantCluster, "client">;
  sources: readonly ApplicationSource[];
  /** Instead of each source's targetRevision, where given. */
  revisions?: readonly string[];
  /** Ask the remote, even when a recent answer is known. */
  askRemote: boolean;
  /** A kept answer of a remote counts only when the remote was asked at this time or later. */
  notBefore?: number | undefined;
  /** Hard refresh. */
  noCache: boolean;
}

type Needs = Pick<ApplicationNeeds, "repo" | "settings" | "namespace">;

/** Renders every source; the manifests stand in the order of the sources. */
export async function renderDesired(needs: Needs, input: RenderInput, signal: AbortSignal): Promise<Desired> {
  const common = await commonRequest(needs, input, signal);
  const parts = await Promise.all(
    input.sources.map(async (source, index) => {
      const request = { ...common, ...sourceRequest(needs, input, index), source };
      if (isRefOnly(source)) {
        const { revision, askedAt } = await needs.repo.resolveRevision(request, signal);
        return {
          revision,
          askedAt,
          manifests: [],
          sourceType: undefined,
          ran: 0,
          timings: undefined,
          validForMs: undefined,
          notes: [],
        };
      }
      const answer = await needs.repo.generateManifests(request, signal);
      const { revision, askedAt, manifests, sourceType, timings, validForMs, notes = [] } = answer;
      return {
        revision,
        askedAt,
        manifests,
        sourceType,
        ran: answer.cache === "miss" ? 1 : 0,
        timings,
        validForMs,
        notes,
      };
    }),
  );
  const times = parts.map((part) => part.validForMs).filter((ms) => ms !== undefined);
  return {
    ...(times.length === 0 ? {} : { validForMs: Math.min(...times) }),
    manifests: parts.flatMap((part) => part.manifests),
    revisions: parts.map((part) => part.revision),
    sources: input.sources,
    askedAt: parts.map((part) => part.askedAt),
    sourceTypes: parts.map((part) => part.sourceType).filter((type) => type !== undefined),
    renders: parts.reduce((sum, part) => sum + part.ran, 0),
    timings: parts.map((part) => part.timings).filter((timings) => timings !== undefined),
    notes: parts.flatMap((part) => part.notes),
  };
}

/** The manifests of an operation that brings its own (argocd app sync --local). */
export function givenManifests(
  texts: readonly string[],
  sources: readonly ApplicationSource[],
  revisions: readonly string[],
): Desired {
  const manifests = parseGivenManifests(texts).map((manifest) => ({
    manifest,
    digest: canonicalJson(manifest),
  }));
  return { manifests, revisions, sources, askedAt: [], sourceTypes: [], renders: 0, timings: [], notes: [] };
}

/** A source that only lends files to others: a ref, and neither path nor chart. */
export function isRefOnly({ ref, path, chart }: ApplicationSource): boolean {
  return Boolean(ref) && !path && !chart;
}

type Common = Omit<ManifestRequest, "repository" | "source">;

async function commonRequest(needs: Needs, input: RenderInput, signal: AbortSignal): Promise<Common> {
  const { app, cluster, project, noCache, askRemote, notBefore } = input;
  const { discovery } = cluster.client;
  const [kubeVersion, rows] = await Promise.all([
    discovery.serverVersion(signal),
    discovery.resources(signal),
  ]);
  const paths = app.metadata.annotations?.[annotationKeys.manifestGeneratePaths];
  const refSources = refsOf(needs, input);
  return {
    appName: instanceName(app, needs.namespace),
    namespace: app.spec.destination.namespace ?? "",
    project: projectOf(app),
    kubeVersion,
    apiVersions: apiVersionsOf(rows),
    settings: renderSettings(needs),
    ...repositoriesOf(needs.settings.current, projectOf(app)),
    ...(project.spec.sourceRepos ? { sourceRepos: project.spec.sourceRepos } : {}),
    ...secretReading(needs.settings.current, app.spec.destination, project),
    ...(refSources ? { refSources } : {}),
    ...(paths === undefined ? {} : { manifestGeneratePaths: paths }),
    ...(noCache ? { noCache } : {}),
    ...(askRemote ? { noRevisionCache: true } : {}),
    ...(notBefore === undefined ? {} : { revisionNotBefore: notBefore }),
  };
}

function sourceRequest({ settings }: Needs, { project, sources, revisions }: RenderInput, index: number) {
  const permitted = permitSource(project, sources[index] ?? { repoURL: "" });
  const repository = permittedRepository(settings.current, permitted);
  const revision = revisions?.[index];
  return { repository, ...(revision ? { revision } : {}) };
}

function refsOf({ settings }: Needs, { project, sources }: RenderInput): Common["refSources"] {
  const refs: Record<string, NonNullable<Common["refSources"]>[string]> = {};
  for (const source of sources) {
    if (!source.ref) continue;
    const repository = permittedRepository(settings.current, permitSource(project, source));
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

/** Group versions and kinds as Helm's Capabilities.APIVersions has them. Made once for each discovery answer. */
function apiVersionsOf(rows: readonly ApiResource[]): readonly string[] {
  const known = apiVersionLists.get(rows);
  if (known) return known;
  const names = new Set<string>();
  for (const { group, version, kind } of rows) {
    names.add(apiVersionOf(group, version));
    names.add(`${apiVersionOf(group, version)}/${kind}`);
  }
  const list = [...names].sort();
  apiVersionLists.set(rows, list);
  return list;
}
