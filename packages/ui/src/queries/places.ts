import type { AppProject } from "@capstan/model";
import {
  type InOf,
  type RestCluster,
  type RestRepoCreds,
  type RestRepository,
  type Route,
  type Routes,
  routes,
} from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { call } from "./client.ts";
import { queryClient } from "./query-client.ts";

export const useProjects = () => useQuery(ask(routes.listProjects, {}));

export const useProject = (name: string) => useQuery(ask(routes.getDetailedProject, { name }));

export const useRepositories = () => useQuery(ask(routes.listRepositories, {}));

export const useRepositoryTemplates = () => useQuery(ask(routes.listRepoCreds, {}));

export const useClusters = () => useQuery(ask(routes.listClusters, {}));

export const useCertificates = () => useQuery(ask(routes.listCertificates, {}));

export const useGpgKeys = () => useQuery(ask(routes.listGpgKeys, {}));

export const useAccounts = () => useQuery(ask(routes.listAccounts, {}));

export const useTriggers = () => useQuery(ask(routes.listTriggers, {}));

export const useServices = () => useQuery(ask(routes.listServices, {}));

export const useTemplates = () => useQuery(ask(routes.listTemplates, {}));

export const useSettingsReport = () => useQuery(ask(routes.reportSettings, {}));

export const usePlugins = () => useQuery(ask(routes.listPlugins, {}));

/** Does it, and has every answer asked for anew in which it may show. */
async function change<In extends object, Out>(
  route: Route<In, Out>,
  request: In,
  ...changed: readonly { path: string }[]
): Promise<Out> {
  const answer = await call(route, request);
  await Promise.all(changed.map(({ path }) => queryClient.invalidateQueries({ queryKey: [path] })));
  return answer;
}

export const createRepository = (repo: InOf<Routes["createRepository"]>["repo"]) =>
  change(routes.createRepository, { repo }, routes.listRepositories);

/** Writes the whole entry, what is secret of it too. */
export const updateRepository = (repo: RestRepository) =>
  change(routes.updateRepository, { url: repo.repo, repo }, routes.listRepositories);

/** Tries it now, not as it was a minute ago; answers why it cannot be reached. */
export async function testRepository(repo: string, appProject: string | undefined): Promise<void> {
  const request = { repo, appProject, forceRefresh: true };
  const { connectionState } = await change(routes.getRepository, request, routes.listRepositories);
  if (connectionState?.status === "Failed")
    throw new Error(connectionState.message ?? "It cannot be reached.");
}

export const deleteRepository = (repo: string, appProject: string | undefined) =>
  change(routes.deleteRepository, { repo, appProject }, routes.listRepositories);

export const createRepositoryTemplate = (creds: InOf<Routes["createRepoCreds"]>["creds"]) =>
  change(routes.createRepoCreds, { creds }, routes.listRepoCreds, routes.listRepositories);

/** As of a repository. */
export const updateRepositoryTemplate = (creds: RestRepoCreds) =>
  change(routes.updateRepoCreds, { url: creds.url, creds }, routes.listRepoCreds, routes.listRepositories);

export const deleteRepositoryTemplate = (url: string) =>
  change(routes.deleteRepoCreds, { url }, routes.listRepoCreds, routes.listRepositories);

export const createCluster = (cluster: InOf<Routes["createCluster"]>["cluster"]) =>
  change(routes.createCluster, { cluster }, routes.listClusters);

type ClusterField = "name" | "namespaces" | "project" | "labels" | "config";

/** The fields that are named; the others stay as they are. */
export const updateCluster = (cluster: RestCluster, updatedFields: ClusterField[]) =>
  change(routes.updateCluster, { id: cluster.server, cluster, updatedFields }, routes.listClusters);

/** Lists and watches it anew. */
export const refreshCluster = (id: string) =>
  change(routes.invalidateClusterCache, { id }, routes.listClusters);

export const deleteCluster = (id: string) => change(routes.deleteCluster, { id }, routes.listClusters);

export const createProject = (project: AppProject) =>
  change(routes.createProject, { project }, routes.listProjects);

export const updateProject = (project: AppProject) =>
  change(
    routes.updateProject,
    { name: project.metadata.name, project },
    routes.listProjects,
    routes.getDetailedProject,
  );

export const deleteProject = (name: string) => change(routes.deleteProject, { name }, routes.listProjects);

export const createProjectToken = (project: string, role: string, of: { id?: string; expiresIn: number }) =>
  change(routes.createProjectToken, { project, role, ...of }, routes.getDetailedProject);

export const deleteProjectToken = (project: string, role: string, iat: number) =>
  change(routes.deleteProjectToken, { project, role, iat: String(iat) }, routes.getDetailedProject);

type Certificates = NonNullable<InOf<Routes["createCertificates"]>["certificates"]>;

export const createCertificates = (items: Certificates["items"]) =>
  change(routes.createCertificates, { certificates: { items: items ?? [] } }, routes.listCertificates);

export const deleteCertificate = (of: { serverName: string; certType: string; certSubType: string }) =>
  change(
    routes.deleteCertificates,
    { hostNamePattern: of.serverName, certType: of.certType, certSubType: of.certSubType },
    routes.listCertificates,
  );

export const createGpgKeys = (keyData: string) =>
  change(routes.createGpgKeys, { publickey: { keyData } }, routes.listGpgKeys);

export const deleteGpgKey = (keyID: string) => change(routes.deleteGpgKey, { keyID }, routes.listGpgKeys);

export const createAccountToken = (name: string, of: { id?: string; expiresIn: number }) =>
  change(routes.createAccountToken, { name, ...of }, routes.listAccounts);

export const deleteAccountToken = (name: string, id: string) =>
  change(routes.deleteAccountToken, { name, id }, routes.listAccounts);

export const updatePassword = (name: string, currentPassword: string, newPassword: string) =>
  change(routes.updatePassword, { name, currentPassword, newPassword });

interface OfRepository {
  readonly repo: string;
  readonly project: string;
}

const ofRepository = ({ repo, project }: OfRepository) => ({ repo, appProject: project });

/** Branches and tags that exist. */
export const useRefs = (of: OfRepository, wanted: boolean) =>
  useQuery({
    ...ask(routes.listRepositoryRefs, ofRepository(of)),
    enabled: wanted && of.repo !== "",
    retry: false,
  });

/** Folders of it that something can be made of. */
export const useRepositoryApps = (
  { revision, ...of }: OfRepository & { revision: string },
  wanted: boolean,
) =>
  useQuery({
    ...ask(routes.listRepositoryApps, { ...ofRepository(of), revision }),
    enabled: wanted && of.repo !== "",
    retry: false,
  });

/** Charts of a Helm repository, with their versions. */
export const useCharts = (of: OfRepository, wanted: boolean) =>
  useQuery({
    ...ask(routes.listHelmCharts, ofRepository(of)),
    enabled: wanted && of.repo !== "",
    retry: false,
  });

export const useSettingTexts = (name: string) => useQuery(ask(routes.readSettingTexts, { name }));

const showSettings = [
  ...[routes.readSettingTexts, routes.listTriggers, routes.listServices, routes.listTemplates],
  ...[routes.getSettings, routes.reportSettings],
] as const;

/** What was refused, since somebody else has written, is read anew as well. */
async function withSettings<Out>(answer: Promise<Out>): Promise<Out> {
  try {
    return await answer;
  } catch (failure) {
    await queryClient.invalidateQueries({ queryKey: [routes.readSettingTexts.path] });
    throw failure;
  }
}

/** `resourceVersion`: of the ConfigMap as it was read. */
export const writeSettingText = (
  name: string,
  setting: string,
  given: { text: string; resourceVersion: string },
) => withSettings(change(routes.writeSettingText, { name, setting, ...given }, ...showSettings));

export const deleteSettingText = (name: string, setting: string, resourceVersion: string) =>
  withSettings(change(routes.deleteSettingText, { name, setting, resourceVersion }, ...showSettings));
