import {
  type ApplicationSource,
  applicationSourceSchema,
  CapstanError,
  checkShape,
  type Repository,
} from "@capstan/model";
import type { ManifestRequest, RenderSettings, RevisionRequest } from "@capstan/wire";
import { argocdTypes, type reposerver } from "@capstan/wire/repo-protocols";
import { jsonOfMessage } from "@capstan/wire/rpc";

type Given = Partial<Omit<argocdTypes.Repository, "$typeName" | "$unknown">>;

/** Texts and switches that have the same name there and here. */
export const texts = [
  ...["name", "project", "username", "password", "bearerToken", "sshPrivateKey"],
  ...["tlsClientCertData", "tlsClientCertKey", "githubAppEnterpriseBaseUrl", "githubAppPrivateKey"],
  ...["gcpServiceAccountKey", "proxy", "noProxy"],
] as readonly (keyof Given & keyof Repository)[];
export const switches = [
  ...["insecure", "enableLfs", "forceHttpBasicAuth", "useAzureWorkloadIdentity", "inheritedCreds"],
] as readonly (keyof Given & keyof Repository)[];

/** A repository with its credentials as Argo CD's programs send it. */
export function readRepository(given: Given | undefined, url: string = given?.repo ?? ""): Repository {
  if (url === "") throw new CapstanError({ code: "INVALID_ARGUMENT", field: "repo", problem: "is missing" });
  const { type = "", enableOCI, githubAppID = 0n, githubAppInstallationID = 0n } = given ?? {};
  const known = texts.map((field) => [field, given?.[field]]).filter(([, text]) => text);
  const set = switches.filter((field) => given?.[field] === true).map((field) => [field, true]);
  return {
    url,
    ...Object.fromEntries([...known, ...set]),
    ...(type === "helm" || type === "oci" || type === "git"
      ? { type: enableOCI && type === "helm" ? "oci" : type }
      : {}),
    ...(given?.insecureIgnoreHostKey ? { insecure: true } : {}),
    ...(given?.insecureOCIForceHttp ? { insecureOciForceHttp: true } : {}),
    ...(githubAppID === 0n ? {} : { githubAppID: String(githubAppID) }),
    ...(githubAppInstallationID === 0n ? {} : { githubAppInstallationID: String(githubAppInstallationID) }),
  };
}

export function readSource(given: argocdTypes.ApplicationSource | undefined): ApplicationSource {
  const source = given && jsonOfMessage(argocdTypes.ApplicationSourceSchema, given);
  if (isSource(source)) return source;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "applicationSource", problem: "is no source" });
}

function isSource(value: unknown): value is ApplicationSource {
  if (typeof value !== "object" || value === null) return false;
  const problems = checkShape(applicationSourceSchema.shape, value);
  return problems.every(({ severity }) => severity !== "error");
}

type Rendered = Pick<
  reposerver.ManifestRequest,
  "repo" | "repos" | "noCache" | "noRevisionCache" | "appName" | "refSources"
> &
  Pick<reposerver.ManifestRequest, "kustomizeOptions" | "helmOptions" | "enabledSourceTypes">;

/** What a request for manifests and one for details say alike. */
function commonRequest(given: Rendered, source: ApplicationSource) {
  return {
    repository: readRepository(given.repo),
    source,
    appName: given.appName,
    ...readRefs(given.refSources),
    repositories: given.repos.map((one) => readRepository(one)),
    settings: readSettings(given),
    ...(given.noCache ? { noCache: true } : {}),
    ...(given.noRevisionCache ? { noRevisionCache: true } : {}),
  };
}

export function readManifestRequest(given: reposerver.ManifestRequest): ManifestRequest {
  const source = readSource(given.applicationSource);
  const { revision, annotationManifestGeneratePaths: paths, projectSourceRepos } = given;
  return {
    ...commonRequest(given, source),
    ...(revision === "" ? {} : { revision }),
    namespace: given.namespace,
    project: given.projectName,
    kubeVersion: given.kubeVersion,
    apiVersions: given.apiVersions,
    credentialTemplates: given.helmRepoCreds.map((one) => readRepository(one, one.url ?? "")),
    ...(projectSourceRepos.length === 0 ? {} : { sourceRepos: projectSourceRepos }),
    ...(paths === "" ? {} : { manifestGeneratePaths: paths }),
  };
}

export function readDetailsQuery(given: reposerver.RepoServerAppDetailsQuery): ManifestRequest {
  const source = readSource(given.source);
  return { ...commonRequest(given, source), namespace: "", project: "", kubeVersion: "", apiVersions: [] };
}

/** Without a source of its own: what is asked of a revision of a repository. */
export function readRevisionRequest(given: {
  readonly repo?: argocdTypes.Repository | undefined;
  readonly revision?: string;
  readonly chart?: string;
  readonly noRevisionCache?: boolean;
}): RevisionRequest {
  const { revision = "", chart = "", noRevisionCache } = given;
  const repository = readRepository(given.repo);
  return {
    repository,
    source: { repoURL: repository.url, targetRevision: revision, ...(chart === "" ? {} : { chart }) },
    ...(revision === "" ? {} : { revision }),
    ...(noRevisionCache ? { noRevisionCache: true } : {}),
  };
}

function readRefs(given: Rendered["refSources"]): Pick<ManifestRequest, "refSources"> {
  const refs = Object.entries(given).map(([name, target]) => {
    const repository = readRepository(target.repo);
    const { targetRevision = "", chart = "" } = target;
    const ref = name.replace(/^\$/, "");
    const source = { repoURL: repository.url, targetRevision, ref, ...(chart === "" ? {} : { chart }) };
    return [ref, { repository, source }];
  });
  return refs.length === 0 ? {} : { refSources: Object.fromEntries(refs) };
}

const kinds = ["Helm", "Kustomize", "Jsonnet"] as const;

function readSettings({ kustomizeOptions, helmOptions, enabledSourceTypes }: Rendered): RenderSettings {
  const { buildOptions = "", versions = [] } = kustomizeOptions ?? {};
  const named = versions.map(({ name = "", path = "" }) => [name, path]);
  return {
    ...(buildOptions === "" ? {} : { kustomizeBuildOptions: buildOptions }),
    ...(named.length === 0 ? {} : { kustomizeVersions: Object.fromEntries(named) }),
    disabledTypes: kinds.filter((kind) => enabledSourceTypes[kind] === false),
    ...(helmOptions ? { helmValuesFileSchemes: helmOptions.valuesFileSchemes } : {}),
  };
}
