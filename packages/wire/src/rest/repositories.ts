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
const repositorySchema = object({
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
  inheritedCreds: optional(boolean()),
  connectionState: optional(connectionStateSchema),
});
export type RestRepository = Static<typeof repositorySchema>;

const repoCredsSchema = object({
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
  plugin?: object;
}

const appDetailsRequestSchema = object({
  source: applicationSourceSchema,
  appName: optional(string()),
  appProject: optional(string()),
  sourceIndex: optional(integer()),
});

export type RepositoryList = ListOf<RestRepository>;
export type RepoCredsList = ListOf<RestRepoCreds>;

const repositories = "/api/v1/repositories";
const repoQuery = { forceRefresh: "boolean", appProject: "string" } as const;

export const repositoryRoutes = {
  listRepositories: route("GET", repositories, repoQuery).answers<RepositoryList>(),
  createRepository: route("POST", repositories, { upsert: "boolean", credsOnly: "boolean" })
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  getRepository: route("GET", `${repositories}/{repo}`, repoQuery).answers<RestRepository>(),
  updateRepository: route("PUT", `${repositories}/{url}`, {})
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  deleteRepository: route("DELETE", `${repositories}/{repo}`, repoQuery).answers<Empty>(),
  validateRepository: route("POST", `${repositories}/{repo}/validate`, {
    project: "string",
    username: "string",
    type: "string",
    name: "string",
    insecure: "boolean",
  })
    .takes("password", string(), bodyLimits.small)
    .answers<Empty>(),
  listRepositoryRefs: route("GET", `${repositories}/{repo}/refs`, repoQuery).answers<RepoRefs>(),
  listRepositoryApps: route("GET", `${repositories}/{repo}/apps`, {
    revision: "string",
    appName: "string",
    appProject: "string",
  }).answers<RepoApps>(),
  getRepositoryAppDetails: route("POST", `${repositories}/{repoURL}/appdetails`, {})
    .takesAll(appDetailsRequestSchema)
    .answers<RepoAppDetails>(),
  listRepoCreds: route("GET", "/api/v1/repocreds", { url: "string" }).answers<RepoCredsList>(),
  createRepoCreds: route("POST", "/api/v1/repocreds", { upsert: "boolean" })
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  updateRepoCreds: route("PUT", "/api/v1/repocreds/{url}", {})
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  deleteRepoCreds: route("DELETE", "/api/v1/repocreds/{url}", {}).answers<Empty>(),
} as const;
