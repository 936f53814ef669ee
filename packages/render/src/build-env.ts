import type { ApplicationSource } from "@capstan/model";

/** Variables of Argo CD's build environment; of these only such without name and value are dropped (reposerver/repository newEnv). */
export function buildEnv(of: {
  appName: string;
  namespace: string;
  project: string;
  revision: string;
  source: ApplicationSource;
}): Record<string, string> {
  const { appName, namespace, project, revision, source } = of;
  return {
    ARGOCD_APP_NAME: appName,
    ARGOCD_APP_NAMESPACE: namespace,
    ARGOCD_APP_PROJECT_NAME: project,
    ARGOCD_APP_REVISION: revision,
    ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
    ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
    ARGOCD_APP_SOURCE_REPO_URL: source.repoURL,
    ARGOCD_APP_SOURCE_PATH: source.path ?? "",
    ARGOCD_APP_SOURCE_TARGET_REVISION: source.targetRevision ?? "",
  };
}
