import type { ApplicationSource, AppProject, SyncWindow } from "@capstan/model";
import type { SettingsReportRow } from "@capstan/model/settings";
import type { PluginSummary } from "../repo-server.ts";
import type { KubeEventList, Links, ListOf } from "./application-messages.ts";
import type {
  Account,
  ClusterList,
  DetailedProject,
  Empty,
  ProjectList,
  RepoAppDetails,
  RepoApps,
  RepoCredsList,
  RepoRefs,
  RepositoryList,
  RestCluster,
  RestRepoCreds,
  RestRepository,
  Settings,
  UserInfo,
  Version,
} from "./other-messages.ts";
import { bodyLimits, openRoute, route, sessionRoute } from "./route.ts";

const projects = "/api/v1/projects";
const repositories = "/api/v1/repositories";
const repoQuery = { forceRefresh: "boolean", appProject: "string" } as const;
const clusterQuery = { "id.type": "string" } as const;

const projectRoutes = {
  listProjects: route("GET", projects, { name: "string", fields: "string" }).answers<ProjectList>(),
  createProject: route("POST", projects, {})
    .takesAll<{ project: AppProject; upsert?: boolean }>()
    .answers<AppProject>(),
  getProject: route("GET", `${projects}/{name}`, {}).answers<AppProject>(),
  updateProject: route("PUT", `${projects}/{name}`, {})
    .takesAll<{ project: AppProject }>()
    .answers<AppProject>(),
  deleteProject: route("DELETE", `${projects}/{name}`, {}).answers<Empty>(),
  getDetailedProject: route("GET", `${projects}/{name}/detailed`, {}).answers<DetailedProject>(),
  listProjectEvents: route("GET", `${projects}/{name}/events`, {}).answers<KubeEventList>(),
  listGlobalProjects: route("GET", `${projects}/{name}/globalprojects`, {}).answers<ListOf<AppProject>>(),
  listProjectLinks: route("GET", `${projects}/{name}/links`, {}).answers<Links>(),
  getProjectSyncWindows: route("GET", `${projects}/{name}/syncwindows`, {}).answers<{
    windows: SyncWindow[];
  }>(),
} as const;

const repositoryRoutes = {
  listRepositories: route("GET", repositories, repoQuery).answers<RepositoryList>(),
  createRepository: route("POST", repositories, { upsert: "boolean", credsOnly: "boolean" })
    .takes<RestRepository, "repo">("repo")
    .answers<RestRepository>(),
  getRepository: route("GET", `${repositories}/{repo}`, repoQuery).answers<RestRepository>(),
  updateRepository: route("PUT", `${repositories}/{url}`, {})
    .takes<RestRepository, "repo">("repo")
    .answers<RestRepository>(),
  deleteRepository: route("DELETE", `${repositories}/{repo}`, repoQuery).answers<Empty>(),
  validateRepository: route("POST", `${repositories}/{repo}/validate`, {
    project: "string",
    username: "string",
    type: "string",
    name: "string",
    insecure: "boolean",
  })
    .takes<string, "password">("password", bodyLimits.small)
    .answers<Empty>(),
  listRepositoryRefs: route("GET", `${repositories}/{repo}/refs`, repoQuery).answers<RepoRefs>(),
  listRepositoryApps: route("GET", `${repositories}/{repo}/apps`, {
    revision: "string",
    appName: "string",
    appProject: "string",
  }).answers<RepoApps>(),
  getRepositoryAppDetails: route("POST", `${repositories}/{repoURL}/appdetails`, {})
    .takesAll<{ source: ApplicationSource; appName?: string; appProject?: string; sourceIndex?: number }>()
    .answers<RepoAppDetails>(),
  listRepoCreds: route("GET", "/api/v1/repocreds", { url: "string" }).answers<RepoCredsList>(),
  createRepoCreds: route("POST", "/api/v1/repocreds", { upsert: "boolean" })
    .takes<RestRepoCreds, "creds">("creds")
    .answers<RestRepoCreds>(),
  updateRepoCreds: route("PUT", "/api/v1/repocreds/{url}", {})
    .takes<RestRepoCreds, "creds">("creds")
    .answers<RestRepoCreds>(),
  deleteRepoCreds: route("DELETE", "/api/v1/repocreds/{url}", {}).answers<Empty>(),
} as const;

const clusterRoutes = {
  listClusters: route("GET", "/api/v1/clusters", { server: "string", name: "string" }).answers<ClusterList>(),
  createCluster: route("POST", "/api/v1/clusters", { upsert: "boolean" })
    .takes<RestCluster, "cluster">("cluster")
    .answers<RestCluster>(),
  getCluster: route("GET", "/api/v1/clusters/{id}", clusterQuery).answers<RestCluster>(),
  deleteCluster: route("DELETE", "/api/v1/clusters/{id}", clusterQuery).answers<Empty>(),
} as const;

const accountRoutes = {
  listAccounts: route("GET", "/api/v1/account", {}).answers<{ items: Account[] }>(),
  canI: route("GET", "/api/v1/account/can-i/{resource}/{action}/{subresource}", {}).answers<{
    value: "yes" | "no";
  }>(),
  updatePassword: route("PUT", "/api/v1/account/password", {})
    .takesAll<{ newPassword: string; currentPassword: string; name?: string }>(bodyLimits.small)
    .answers<Empty>(),
  getAccount: route("GET", "/api/v1/account/{name}", {}).answers<Account>(),
  login: sessionRoute("POST", "/api/v1/session", "begins")
    .takesAll<{ username: string; password: string }>(bodyLimits.small)
    .answers<{ token: string }>(),
  logout: sessionRoute("DELETE", "/api/v1/session", "ends").answers<Empty>(),
  getUserInfo: openRoute("GET", "/api/v1/session/userinfo", {}).answers<UserInfo>(),
} as const;

const settingsRoutes = {
  getSettings: openRoute("GET", "/api/v1/settings", {}).answers<Settings>(),
  listPlugins: route("GET", "/api/v1/settings/plugins", {}).answers<{ plugins: PluginSummary[] }>(),
  /** Ours: what is set and not honoured. */
  reportSettings: route("GET", "/api/v1/settings/report", { all: "boolean" }).answers<{
    items: SettingsReportRow[];
  }>(),
  getVersion: openRoute("GET", "/api/version", {}).answers<Version>(),
} as const;

export const otherRoutes = {
  ...projectRoutes,
  ...repositoryRoutes,
  ...clusterRoutes,
  ...accountRoutes,
  ...settingsRoutes,
} as const;
