import type { AppProject } from "@capstan/model";
import type { ListOf } from "./application-messages.ts";

export interface ConnectionState {
  status: "Successful" | "Failed" | "Unknown";
  message?: string;
  attemptedAt?: string;
}

/**
 * A repository as it is shown: Argo CD's Repository without what is secret. In requests the secret fields
 * are set; answers never carry them.
 */
export interface RestRepository {
  repo: string;
  type?: string;
  name?: string;
  project?: string;
  username?: string;
  password?: string;
  bearerToken?: string;
  sshPrivateKey?: string;
  insecure?: boolean;
  insecureIgnoreHostKey?: boolean;
  enableLfs?: boolean;
  enableOCI?: boolean;
  insecureOCIForceHttp?: boolean;
  tlsClientCertData?: string;
  tlsClientCertKey?: string;
  proxy?: string;
  noProxy?: string;
  forceHttpBasicAuth?: boolean;
  depth?: number;
  githubAppID?: number;
  githubAppInstallationID?: number;
  githubAppEnterpriseBaseUrl?: string;
  githubAppPrivateKey?: string;
  inheritedCreds?: boolean;
  connectionState?: ConnectionState;
}

export interface RestRepoCreds {
  url: string;
  type?: string;
  username?: string;
  password?: string;
  bearerToken?: string;
  sshPrivateKey?: string;
  tlsClientCertData?: string;
  tlsClientCertKey?: string;
  proxy?: string;
  noProxy?: string;
  forceHttpBasicAuth?: boolean;
  enableOCI?: boolean;
}

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

export interface RestCluster {
  server: string;
  name: string;
  config?: ClusterConfig;
  namespaces?: string[];
  clusterResources?: boolean;
  project?: string;
  shard?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  serverVersion?: string;
  connectionState?: ConnectionState;
  info?: {
    connectionState?: ConnectionState;
    serverVersion?: string;
    applicationsCount: number;
    apiVersions?: string[];
    cacheInfo?: { resourcesCount?: number; apisCount?: number };
  };
}

export interface ClusterConfig {
  username?: string;
  password?: string;
  bearerToken?: string;
  tlsClientConfig?: {
    insecure?: boolean;
    serverName?: string;
    certData?: string;
    keyData?: string;
    caData?: string;
  };
}

export interface DetailedProject {
  project: AppProject;
  globalProjects: AppProject[];
  repositories: RestRepository[];
  clusters: RestCluster[];
}

export interface Settings {
  url: string;
  appLabelKey: string;
  trackingMethod: string;
  statusBadgeEnabled: boolean;
  userLoginsDisabled: boolean;
  execEnabled: boolean;
  appsInAnyNamespaceEnabled: boolean;
  hydratorEnabled: boolean;
  help: { chatUrl?: string; chatText?: string; binaryUrls?: Record<string, string> };
  controllerNamespace?: string;
  uiBannerContent?: string;
  uiBannerURL?: string;
  passwordPattern?: string;
  kustomizeOptions?: { buildOptions?: string };
  plugins: { name: string }[];
  /** Ours: the cluster is the embedded one, in which nothing really runs. */
  simulatedCluster: boolean;
}

export interface UserInfo {
  loggedIn: boolean;
  username?: string;
  iss?: string;
  groups?: string[];
}

export interface Account {
  name: string;
  enabled: boolean;
  capabilities: string[];
  tokens: { id: string; issuedAt: number; expiresAt: number }[];
}

/** Capitals as in Argo CD's version.proto. */
export interface Version {
  Version: string;
  BuildDate?: string;
  GitCommit?: string;
  Platform?: string;
  KustomizeVersion?: string;
  HelmVersion?: string;
  KubectlVersion?: string;
  ExtraBuildInfo?: string;
}

export type ProjectList = ListOf<AppProject>;
export type RepositoryList = ListOf<RestRepository>;
export type RepoCredsList = ListOf<RestRepoCreds>;
export type ClusterList = ListOf<RestCluster>;
export type Empty = Record<string, never>;
