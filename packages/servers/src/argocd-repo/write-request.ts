import type { MessageInitShape } from "@bufbuild/protobuf";
import { type ApplicationSource, CapstanError, type Repository } from "@capstan/model";
import type { ManifestRequest, RenderSettings, RevisionRequest } from "@capstan/wire";
import { argocdTypes, type reposerver } from "@capstan/wire/repo-protocols";
import { messageOfJson } from "@capstan/wire/rpc";
import { switches, texts } from "./read-request.ts";

type Written<Schema extends Parameters<typeof messageOfJson>[0]> = MessageInitShape<Schema>;

/**
 * A repository with its credentials as Argo CD's repo server is given it: the inverse of readRepository. Authorities and
 * ssh keys of hosts are no part of it, since that server reads argocd-tls-certs-cm and argocd-ssh-known-hosts-cm itself.
 */
export function writeRepository(repository: Repository): Written<typeof argocdTypes.RepositorySchema> {
  const { url, type, insecure, insecureOciForceHttp } = repository;
  const { githubAppID, githubAppInstallationID } = repository;
  const isChartRegistry = type === "oci" && !url.startsWith("oci://");
  return {
    repo: url,
    ...Object.fromEntries([...texts, ...switches].map((field) => [field, repository[field]]).filter(isSet)),
    ...(type === undefined ? {} : { type: isChartRegistry ? "helm" : type }),
    ...(isChartRegistry ? { enableOCI: true } : {}),
    ...(insecure ? { insecure, insecureIgnoreHostKey: true } : {}),
    ...(insecureOciForceHttp ? { insecureOCIForceHttp: true } : {}),
    ...(githubAppID === undefined ? {} : { githubAppID: readId("githubAppID", githubAppID) }),
    ...(githubAppInstallationID === undefined
      ? {}
      : { githubAppInstallationID: readId("githubAppInstallationID", githubAppInstallationID) }),
  };
}

const wholeNumber = /^\d{1,18}$/;

/** It is whatever somebody wrote into a Secret. */
function readId(field: string, text: string): bigint {
  if (wholeNumber.test(text)) return BigInt(text);
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem: "is not a whole number" });
}

/** Of what comes along for whoever may need it: one that cannot be written is no reason to render nothing. */
const hasReadableIds = ({ githubAppID = "0", githubAppInstallationID = "0" }: Repository): boolean =>
  wholeNumber.test(githubAppID) && wholeNumber.test(githubAppInstallationID);

const isSet = ([, value]: readonly unknown[]): boolean => value !== undefined;

function writeCredentials(template: Repository): Written<typeof argocdTypes.RepoCredsSchema> {
  const { repo, name: _, project: __, ...rest } = writeRepository(template);
  return { ...rest, url: repo } as Written<typeof argocdTypes.RepoCredsSchema>;
}

export function writeSource(source: ApplicationSource): Written<typeof argocdTypes.ApplicationSourceSchema> {
  return messageOfJson(argocdTypes.ApplicationSourceSchema, source);
}

/** `noRevisionCache`: the remote is asked, whatever that server keeps. Tracking is the caller's: none is asked for. */
export function writeManifestRequest(
  request: ManifestRequest,
  noRevisionCache: boolean,
): Written<typeof reposerver.ManifestRequestSchema> {
  const { credentialTemplates = [], sourceRepos = [], refSources = {}, noCache = false } = request;
  return {
    ...common(request, noRevisionCache),
    revision: wantedOf(request),
    noCache,
    namespace: request.namespace,
    applicationSource: writeSource(request.source),
    kubeVersion: request.kubeVersion,
    apiVersions: [...request.apiVersions],
    helmRepoCreds: credentialTemplates.filter(hasReadableIds).map(writeCredentials),
    hasMultipleSources: Object.keys(refSources).length > 0,
    projectSourceRepos: [...sourceRepos],
    projectName: request.project,
    annotationManifestGeneratePaths: request.manifestGeneratePaths ?? "",
  };
}

/** What can be set for a source. */
export function writeDetailsQuery(
  request: ManifestRequest,
  noRevisionCache: boolean,
): Written<typeof reposerver.RepoServerAppDetailsQuerySchema> {
  const source = { ...request.source, targetRevision: wantedOf(request) };
  return { ...common(request, noRevisionCache), source: writeSource(source) };
}

function common(request: ManifestRequest, noRevisionCache: boolean) {
  const { repository, repositories = [], refSources = {}, settings = {} } = request;
  const refs = Object.entries(refSources).map(([name, { repository: of, source }]) => [
    `$${name}`,
    {
      repo: writeRepository(of),
      targetRevision: source.targetRevision ?? "",
      ...(source.chart === undefined ? {} : { chart: source.chart }),
    },
  ]);
  return {
    repo: writeRepository(repository),
    repos: repositories.filter(hasReadableIds).map(writeRepository),
    appName: request.appName,
    noRevisionCache,
    refSources: Object.fromEntries(refs),
    ...writeSettings(settings),
  };
}

/** What is to be resolved. */
export function wantedOf({ revision, source }: RevisionRequest): string {
  return revision ?? source.targetRevision ?? "";
}

const kinds = ["Helm", "Kustomize", "Jsonnet"] as const;

function writeSettings(settings: RenderSettings) {
  const { kustomizeBuildOptions = "", kustomizeVersions = {}, disabledTypes = [] } = settings;
  const versions = Object.entries(kustomizeVersions).map(([name, path]) => ({ name, path }));
  return {
    kustomizeOptions: { buildOptions: kustomizeBuildOptions, versions },
    enabledSourceTypes: Object.fromEntries(kinds.map((kind) => [kind, !disabledTypes.includes(kind)])),
    ...(settings.helmValuesFileSchemes
      ? { helmOptions: { valuesFileSchemes: [...settings.helmValuesFileSchemes] } }
      : {}),
  };
}
