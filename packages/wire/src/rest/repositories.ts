import type { ParameterAnnouncement } from "@capstan/model";
import {
  applicationSourceSchema,
  boolean,
  integer,
  object,
  optional,
  type Static,
  string,
} from "@capstan/model/shapes";
import { connectionStateSchema, type Empty, type ListOf } from "./answers.ts";
import { bodyLimits, route } from "./route.ts";

/**
 * A repository as it is shown: Argo CD's Repository without what is secret. In requests the secret fields
 * are set; answers never carry them.
 */
export const repositorySchema = object({
  repo: string(),
  type: optional(string()),
  name: optional(string()),
  project: optional(string()),
  username: optional(string()),
  password: optional(string()),
  bearerToken: optional(string()),
  sshPrivateKey: optional(string()),
  insecure: optional(boolean()),
  insecureIgnoreHostKey: optional(boolean()),
  enableLfs: optional(boolean()),
  enableOCI: optional(boolean()),
  insecureOCIForceHttp: optional(boolean()),
  tlsClientCertData: optional(string()),
  tlsClientCertKey: optional(string()),
  proxy: optional(string()),
  noProxy: optional(string()),
  forceHttpBasicAuth: optional(boolean()),
  depth: optional(integer()),
  githubAppID: optional(integer()),
  githubAppInstallationID: optional(integer()),
  githubAppEnterpriseBaseUrl: optional(string()),
  githubAppPrivateKey: optional(string()),
  gcpServiceAccountKey: optional(string()),
  useAzureWorkloadIdentity: optional(boolean()),
  inheritedCreds: optional(boolean()),
  connectionState: optional(connectionStateSchema),
});
export type RestRepository = Static<typeof repositorySchema>;

export const repoCredsSchema = object({
  url: string(),
  type: optional(string()),
  username: optional(string()),
  password: optional(string()),
  bearerToken: optional(string()),
  sshPrivateKey: optional(string()),
  tlsClientCertData: optional(string()),
  tlsClientCertKey: optional(string()),
  proxy: optional(string()),
  noProxy: optional(string()),
  forceHttpBasicAuth: optional(boolean()),
  enableOCI: optional(boolean()),
  githubAppID: optional(integer()),
  githubAppInstallationID: optional(integer()),
  githubAppEnterpriseBaseUrl: optional(string()),
  githubAppPrivateKey: optional(string()),
  gcpServiceAccountKey: optional(string()),
  useAzureWorkloadIdentity: optional(boolean()),
});
export type RestRepoCreds = Static<typeof repoCredsSchema>;

export interface RepoRefs {
  branches: string[];
  tags: string[];
}

export interface RepoApps {
  items: { type: string; path: string }[];
}

export interface RepoAppDetails {
  type: string;
  helm?: {
    name?: string;
    valueFiles?: string[];
    parameters?: { name: string; value: string }[];
    values?: string;
  };
  kustomize?: { images?: string[] };
  directory?: object;
  plugin?: { parametersAnnouncement: readonly ParameterAnnouncement[] };
}

const appDetailsRequestSchema = object({
  source: applicationSourceSchema,
  appName: optional(string()),
  appProject: optional(string()),
  sourceIndex: optional(integer()),
  versionId: optional(integer()),
});

export type RepositoryList = ListOf<RestRepository>;
export type RepoCredsList = ListOf<RestRepoCreds>;

const repositories = "/api/v1/repositories";
export const repoQuery = { forceRefresh: "boolean", appProject: "string" } as const;

/** Argo CD's RepoAccessQuery; what it has in the body is the address again. */
export const validation = {
  project: "string",
  username: "string",
  password: "string",
  bearerToken: "string",
  sshPrivateKey: "string",
  tlsClientCertData: "string",
  tlsClientCertKey: "string",
  type: "string",
  name: "string",
  proxy: "string",
  insecure: "boolean",
  enableOci: "boolean",
  insecureOciForceHttp: "boolean",
  forceHttpBasicAuth: "boolean",
  githubAppID: "integer",
  githubAppInstallationID: "integer",
  githubAppEnterpriseBaseUrl: "string",
  githubAppPrivateKey: "string",
  gcpServiceAccountKey: "string",
  useAzureWorkloadIdentity: "boolean",
} as const;

export const repositoryRoutes = {
  listRepositories: route("GET", repositories, repoQuery)
    .rpc(["repository.RepositoryService/ListRepositories", "repository.RepositoryService/List"])
    .answers<RepositoryList>(),
  createRepository: route("POST", repositories, { upsert: "boolean", credsOnly: "boolean" })
    .rpc(["repository.RepositoryService/CreateRepository", "repository.RepositoryService/Create"])
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  getRepository: route("GET", `${repositories}/{repo}`, repoQuery)
    .rpc("repository.RepositoryService/Get")
    .answers<RestRepository>(),
  updateRepository: route("PUT", `${repositories}/{url}`, {})
    .rpc(["repository.RepositoryService/UpdateRepository", "repository.RepositoryService/Update"], {
      url: "repo.repo",
    })
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  deleteRepository: route("DELETE", `${repositories}/{repo}`, repoQuery)
    .rpc(["repository.RepositoryService/DeleteRepository", "repository.RepositoryService/Delete"])
    .answers<Empty>(),
  validateRepository: route("POST", `${repositories}/{repo}/validate`, validation)
    .rpc("repository.RepositoryService/ValidateAccess")
    .takes("repo", string(), bodyLimits.small)
    .answers<Empty>(),
  listRepositoryRefs: route("GET", `${repositories}/{repo}/refs`, repoQuery)
    .rpc("repository.RepositoryService/ListRefs")
    .answers<RepoRefs>(),
  listOciTags: route("GET", `${repositories}/{repo}/oci-tags`, repoQuery)
    .rpc("repository.RepositoryService/ListOCITags")
    .answers<{ tags: string[] }>(),
  listHelmCharts: route("GET", `${repositories}/{repo}/helmcharts`, repoQuery)
    .rpc("repository.RepositoryService/GetHelmCharts")
    .answers<{ items: { name: string; versions: string[] }[] }>(),
  listRepositoryApps: route("GET", `${repositories}/{repo}/apps`, {
    revision: "string",
    appName: "string",
    appProject: "string",
  })
    .rpc("repository.RepositoryService/ListApps")
    .answers<RepoApps>(),
  getRepositoryAppDetails: route("POST", `${repositories}/{repoURL}/appdetails`, {})
    .rpc("repository.RepositoryService/GetAppDetails", { repoURL: "source.repoURL" })
    .takesAll(appDetailsRequestSchema)
    .answers<RepoAppDetails>(),
  listRepoCreds: route("GET", "/api/v1/repocreds", { url: "string" })
    .rpc("repocreds.RepoCredsService/ListRepositoryCredentials")
    .answers<RepoCredsList>(),
  createRepoCreds: route("POST", "/api/v1/repocreds", { upsert: "boolean" })
    .rpc("repocreds.RepoCredsService/CreateRepositoryCredentials")
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  updateRepoCreds: route("PUT", "/api/v1/repocreds/{url}", {})
    .rpc("repocreds.RepoCredsService/UpdateRepositoryCredentials", { url: "creds.url" })
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  deleteRepoCreds: route("DELETE", "/api/v1/repocreds/{url}", {})
    .rpc("repocreds.RepoCredsService/DeleteRepositoryCredentials")
    .answers<Empty>(),
} as const;
