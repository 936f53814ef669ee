import { type Repository, withoutUserinfo } from "@capstan/model";
import type { ConnectionState, RestRepository } from "@capstan/wire";

/** What may be shown of a repository, and is enough to write it anew beside its secrets: never a password, key or token. */
export function shownRepository(repository: Repository, connectionState?: ConnectionState): RestRepository {
  const { url, name, project, username, insecure, enableLfs, enableOci, proxy, noProxy, depth } = repository;
  const { type = "git", forceHttpBasicAuth, insecureOciForceHttp, useAzureWorkloadIdentity } = repository;
  const { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl } = repository;
  return {
    repo: url,
    type: enableOci ? "helm" : type,
    ...(name ? { name } : {}),
    ...(project ? { project } : {}),
    ...(username ? { username } : {}),
    ...(insecure ? { insecure } : {}),
    ...(enableLfs ? { enableLfs } : {}),
    ...(enableOci ? { enableOCI: true } : {}),
    ...(proxy ? { proxy: withoutUserinfo(proxy) } : {}),
    ...(noProxy ? { noProxy } : {}),
    ...(depth === undefined ? {} : { depth }),
    ...(forceHttpBasicAuth ? { forceHttpBasicAuth } : {}),
    ...(insecureOciForceHttp ? { insecureOCIForceHttp: true } : {}),
    ...(useAzureWorkloadIdentity ? { useAzureWorkloadIdentity } : {}),
    ...(githubAppID ? { githubAppID: Number(githubAppID) } : {}),
    ...(githubAppInstallationID ? { githubAppInstallationID: Number(githubAppInstallationID) } : {}),
    ...(githubAppEnterpriseBaseUrl ? { githubAppEnterpriseBaseUrl } : {}),
    ...(connectionState ? { connectionState } : {}),
  };
}
