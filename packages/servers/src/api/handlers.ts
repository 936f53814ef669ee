import type { Handlers } from "../call.ts";
import { askRights, askRightsOf, canI } from "./account/can-i.ts";
import type { TokenNeeds } from "./account/change-tokens.ts";
import { createAccountToken } from "./account/create-account-token.ts";
import { deleteAccountToken } from "./account/delete-account-token.ts";
import { getAccount } from "./account/get-account.ts";
import { listAccounts } from "./account/list-accounts.ts";
import { updatePassword } from "./account/update-password.ts";
import { listApplicationEvents } from "./application/application-events.ts";
import type { ApplicationFeed } from "./application/application-feed.ts";
import type { ApplicationIndex } from "./application/application-index.ts";
import { listApplicationRows, watchApplicationRows } from "./application/application-rows.ts";
import { createApplication } from "./application/create-application.ts";
import { deleteApplication } from "./application/delete-application.ts";
import { describeSources } from "./application/describe-sources.ts";
import { explainRender } from "./application/explain-render.ts";
import { getApplication } from "./application/get-application.ts";
import { getManifests } from "./application/get-manifests.ts";
import { getManifestsWithFiles } from "./application/get-manifests-with-files.ts";
import { listApplications } from "./application/list-applications.ts";
import { listResourceActions } from "./application/list-resource-actions.ts";
import { listResources } from "./application/list-resources.ts";
import { diffOnServer, listManagedResources } from "./application/managed-resources.ts";
import { getOperationObject, listOperations } from "./application/operation-records.ts";
import { planImageUpdates } from "./application/plan-image-updates.ts";
import { previewSync, previewSyncRequest } from "./application/preview-sync.ts";
import { readLogs, readPodLogs } from "./application/read-logs.ts";
import { deleteResource, getResource, patchResource } from "./application/resource-handlers.ts";
import { getResourceTree, watchResourceTree, watchTreeChanges } from "./application/resource-tree.ts";
import { getChartDetails, getOciMetadata } from "./application/revision-details.ts";
import { getRevisionMetadata } from "./application/revision-metadata.ts";
import { rollbackApplication } from "./application/rollback-application.ts";
import { runResourceAction, runResourceActionByName } from "./application/run-resource-action.ts";
import { syncApplication } from "./application/sync-application.ts";
import { getApplicationSyncWindows } from "./application/sync-windows.ts";
import { terminateOperation } from "./application/terminate-operation.ts";
import type { TreeFeed } from "./application/tree-feed.ts";
import {
  patchApplication,
  updateApplication,
  updateApplicationSpec,
} from "./application/update-application.ts";
import { updateImages } from "./application/update-images.ts";
import { watchApplications } from "./application/watch-applications.ts";
import { allowApplicationSetDeletion } from "./application-set/allow-application-set-deletion.ts";
import { createApplicationSet } from "./application-set/create-application-set.ts";
import { deleteApplicationSet } from "./application-set/delete-application-set.ts";
import { diffApplicationSet } from "./application-set/diff-application-set.ts";
import { generateApplicationSet } from "./application-set/generate-application-set.ts";
import { getApplicationSet } from "./application-set/get-application-set.ts";
import { getApplicationSetTree } from "./application-set/get-application-set-tree.ts";
import { listApplicationSetEvents } from "./application-set/list-application-set-events.ts";
import { listApplicationSets } from "./application-set/list-application-sets.ts";
import { watchApplicationSets } from "./application-set/watch-application-sets.ts";
import { createCertificates } from "./certificate/create-certificates.ts";
import { deleteCertificates } from "./certificate/delete-certificates.ts";
import { listCertificates } from "./certificate/list-certificates.ts";
import { createCluster } from "./cluster/create-cluster.ts";
import { deleteCluster } from "./cluster/delete-cluster.ts";
import { getCluster } from "./cluster/get-cluster.ts";
import { invalidateClusterCache } from "./cluster/invalidate-cluster-cache.ts";
import { listClusters } from "./cluster/list-clusters.ts";
import { rotateClusterAuth } from "./cluster/rotate-cluster-auth.ts";
import { updateCluster } from "./cluster/update-cluster.ts";
import type { ApiContext } from "./context.ts";
import { createGpgKeys } from "./gpgkey/create-gpg-keys.ts";
import { deleteGpgKey } from "./gpgkey/delete-gpg-key.ts";
import { getGpgKey } from "./gpgkey/get-gpg-key.ts";
import { listGpgKeys } from "./gpgkey/list-gpg-keys.ts";
import { listApplicationLinks } from "./links/application-links.ts";
import { listProjectLinks } from "./links/project-links.ts";
import { listResourceLinks } from "./links/resource-links.ts";
import { listServices } from "./notification/list-services.ts";
import { listTemplates } from "./notification/list-templates.ts";
import { listTriggers } from "./notification/list-triggers.ts";
import { createProjectToken } from "./project/create-project-token.ts";
import { deleteProjectToken } from "./project/delete-project-token.ts";
import {
  getDetailedProject,
  getProjectSyncWindows,
  listGlobalProjects,
  listProjectEvents,
} from "./project/project-details.ts";
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from "./project/project-handlers.ts";
import type { ConnectionStates } from "./repository/connection-states.ts";
import {
  createRepoCreds,
  deleteRepoCreds,
  listRepoCreds,
  updateRepoCreds,
} from "./repository/credential-handlers.ts";
import { getRepositoryAppDetails } from "./repository/get-app-details.ts";
import { listHelmCharts } from "./repository/list-helm-charts.ts";
import { listOciTags } from "./repository/list-oci-tags.ts";
import { listRepositoryApps } from "./repository/list-repository-apps.ts";
import { listRepositoryRefs } from "./repository/list-repository-refs.ts";
import {
  createRepository,
  deleteRepository,
  getRepository,
  listRepositories,
  updateRepository,
  validateRepository,
} from "./repository/repository-handlers.ts";
import { forReading, forWriting } from "./repository/repository-kind.ts";
import { type LoginNeeds, login } from "./session/login.ts";
import { getUserInfo, logout } from "./session/session-handlers.ts";
import { deleteSettingText, readSettingTexts, writeSettingText } from "./settings/setting-texts.ts";
import { getSettings, getVersion, listPlugins, type SettingsNeeds } from "./settings/settings-handlers.ts";
import { reportSettings } from "./settings/settings-report.ts";

export interface HandlerNeeds extends ApiContext, LoginNeeds, SettingsNeeds {
  settings: TokenNeeds["settings"];
  feed: ApplicationFeed;
  index: ApplicationIndex;
  trees: TreeFeed;
  connections: ConnectionStates;
}

/** Every call there is: what this list does not name does not compile. */
export function apiHandlers(context: HandlerNeeds): Handlers {
  return {
    ...applicationHandlers(context),
    ...applicationSetHandlers(context),
    ...repositoryHandlers(context),
    ...otherHandlers(context),
  };
}

function applicationHandlers(context: HandlerNeeds) {
  return {
    listApplications: listApplications(context),
    watchApplications: watchApplications(context),
    listApplicationRows: listApplicationRows(context),
    watchApplicationRows: watchApplicationRows(context),
    createApplication: createApplication(context),
    getApplication: getApplication(context),
    updateApplication: updateApplication(context),
    patchApplication: patchApplication(context),
    updateApplicationSpec: updateApplicationSpec(context),
    deleteApplication: deleteApplication(context),
    syncApplication: syncApplication(context),
    previewSync: previewSync(context),
    previewSyncRequest: previewSyncRequest(context),
    rollbackApplication: rollbackApplication(context),
    terminateOperation: terminateOperation(context),
    listManagedResources: listManagedResources(context),
    getResourceTree: getResourceTree(context),
    listResources: listResources(context),
    watchResourceTree: watchResourceTree(context),
    watchTreeChanges: watchTreeChanges(context),
    getManifests: getManifests(context),
    getManifestsWithFiles: getManifestsWithFiles(context),
    explainRender: explainRender(context),
    describeSources: describeSources(context),
    diffManifests: diffOnServer(context),
    diffOnServer: diffOnServer(context),
    getResource: getResource(context),
    patchResource: patchResource(context),
    deleteResource: deleteResource(context),
    listResourceActions: listResourceActions(context),
    runResourceAction: runResourceAction(context),
    runResourceActionByName: runResourceActionByName(context),
    listResourceLinks: listResourceLinks(context),
    listApplicationLinks: listApplicationLinks(context),
    listApplicationEvents: listApplicationEvents(context),
    readLogs: readLogs(context),
    readPodLogs: readPodLogs(context),
    getRevisionMetadata: getRevisionMetadata(context),
    getChartDetails: getChartDetails(context),
    getOciMetadata: getOciMetadata(context),
    getApplicationSyncWindows: getApplicationSyncWindows(context),
    planImageUpdates: planImageUpdates(context),
    updateImages: updateImages(context),
    listOperations: listOperations(context),
    getOperationObject: getOperationObject(context),
  };
}

function applicationSetHandlers(context: HandlerNeeds) {
  return {
    createApplicationSet: createApplicationSet(context),
    deleteApplicationSet: deleteApplicationSet(context),
    generateApplicationSet: generateApplicationSet(context),
    diffApplicationSet: diffApplicationSet(context),
    allowApplicationSetDeletion: allowApplicationSetDeletion(context),
    getApplicationSet: getApplicationSet(context),
    getApplicationSetTree: getApplicationSetTree(context),
    listApplicationSetEvents: listApplicationSetEvents(context),
    listApplicationSets: listApplicationSets(context),
    watchApplicationSets: watchApplicationSets(context),
  };
}

function repositoryHandlers(context: HandlerNeeds) {
  const reading = { ...context, kind: forReading };
  const writing = { ...context, kind: forWriting };
  return {
    listRepositories: listRepositories(reading),
    listWriteRepositories: listRepositories(writing),
    createRepository: createRepository(reading),
    createWriteRepository: createRepository(writing),
    getRepository: getRepository(reading),
    getWriteRepository: getRepository(writing),
    updateRepository: updateRepository(reading),
    updateWriteRepository: updateRepository(writing),
    deleteRepository: deleteRepository(reading),
    deleteWriteRepository: deleteRepository(writing),
    validateRepository: validateRepository(reading),
    validateWriteRepository: validateRepository(writing),
    listRepoCreds: listRepoCreds(reading),
    listWriteRepoCreds: listRepoCreds(writing),
    createRepoCreds: createRepoCreds(reading),
    createWriteRepoCreds: createRepoCreds(writing),
    updateRepoCreds: updateRepoCreds(reading),
    updateWriteRepoCreds: updateRepoCreds(writing),
    deleteRepoCreds: deleteRepoCreds(reading),
    deleteWriteRepoCreds: deleteRepoCreds(writing),
  };
}

function otherHandlers(context: HandlerNeeds) {
  return {
    listProjects: listProjects(context),
    createProject: createProject(context),
    getProject: getProject(context),
    updateProject: updateProject(context),
    deleteProject: deleteProject(context),
    getDetailedProject: getDetailedProject(context),
    createProjectToken: createProjectToken(context),
    deleteProjectToken: deleteProjectToken(context),
    listProjectEvents: listProjectEvents(context),
    listGlobalProjects: listGlobalProjects(context),
    listProjectLinks: listProjectLinks(context),
    getProjectSyncWindows: getProjectSyncWindows(context),
    listRepositoryRefs: listRepositoryRefs(context),
    listOciTags: listOciTags(context),
    listHelmCharts: listHelmCharts(context),
    listRepositoryApps: listRepositoryApps(context),
    getRepositoryAppDetails: getRepositoryAppDetails(context),
    listClusters: listClusters(context),
    createCluster: createCluster(context),
    getCluster: getCluster(context),
    updateCluster: updateCluster(context),
    rotateClusterAuth: rotateClusterAuth(context),
    invalidateClusterCache: invalidateClusterCache(context),
    deleteCluster: deleteCluster(context),
    listTriggers: listTriggers(context),
    listServices: listServices(context),
    listTemplates: listTemplates(context),
    listCertificates: listCertificates(context),
    createCertificates: createCertificates(context),
    deleteCertificates: deleteCertificates(context),
    listGpgKeys: listGpgKeys(context),
    getGpgKey: getGpgKey(context),
    createGpgKeys: createGpgKeys(context),
    deleteGpgKey: deleteGpgKey(context),
    listAccounts: listAccounts(context),
    canI: canI(context),
    askRights: askRights(context),
    askRightsOf: askRightsOf(context),
    updatePassword: updatePassword(context),
    getAccount: getAccount(context),
    createAccountToken: createAccountToken(context),
    deleteAccountToken: deleteAccountToken(context),
    login: login(context),
    logout: logout(context),
    getUserInfo: getUserInfo(),
    getSettings: getSettings(context),
    listPlugins: listPlugins(context),
    reportSettings: reportSettings(context),
    readSettingTexts: readSettingTexts(context),
    writeSettingText: writeSettingText(context),
    deleteSettingText: deleteSettingText(context),
    getVersion: getVersion(context),
  };
}
