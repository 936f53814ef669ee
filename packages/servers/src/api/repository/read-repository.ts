import { CapstanError, type Repository } from "@capstan/model";
import type { RestRepository } from "@capstan/wire";

/** What a request says of a repository; refused where it could be taken for another's. */
export function readRepository(given: RestRepository | undefined): RestRepository {
  const repo = readUrl(given?.repo, { field: "repo", missing: "is missing; give the repository's URL" });
  const { project, ...rest } = given ?? {};
  if (project === undefined || project === "") return { ...rest, repo };
  if (typeof project !== "string" || !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(project))
    throw invalid("project", "is not the name of a project: small letters, digits, - and .");
  return { ...rest, repo, project };
}

/**
 * Rights are asked on PROJECT/URL, of what belongs to no project on the URL alone: an address that begins like
 * a project's name, `team/charts`, would pass for one of that project.
 */
export function readUrl(given: unknown, { field, missing }: { field: string; missing: string }): string {
  if (typeof given !== "string" || given.trim() === "") throw invalid(field, missing);
  const url = given.trim();
  if (url.includes("://") || url.startsWith("/") || /^[^/]*[.:@]|^localhost(\/|$)/.test(url)) return url;
  throw invalid(field, `"${url.slice(0, 200)}" names no host: write SCHEME://HOST/PATH, or HOST.DOMAIN/PATH`);
}

function invalid(field: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

/** As the repository will be read from its Secret. */
export function settingsOf({ repo, type, enableOCI, ...rest }: RestRepository): Repository {
  const named = type === "helm" || type === "oci" ? type : "git";
  const enableOci = enableOCI && named === "helm" ? true : undefined;
  const { name, project, username, password, bearerToken, sshPrivateKey, insecure, enableLfs } = rest;
  const { tlsClientCertData, tlsClientCertKey, proxy, noProxy, forceHttpBasicAuth, depth } = rest;
  const { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, githubAppPrivateKey } = rest;
  const { gcpServiceAccountKey, useAzureWorkloadIdentity } = rest;
  const fields = {
    githubAppID: githubAppID ? String(githubAppID) : undefined,
    githubAppInstallationID: githubAppInstallationID ? String(githubAppInstallationID) : undefined,
    ...{ githubAppEnterpriseBaseUrl, githubAppPrivateKey, gcpServiceAccountKey },
    useAzureWorkloadIdentity: useAzureWorkloadIdentity || undefined,
    ...{ name, project, username, password, bearerToken, sshPrivateKey, enableLfs, depth },
    ...{ tlsClientCertData, tlsClientCertKey, proxy, noProxy, forceHttpBasicAuth },
    insecure: insecure || rest.insecureIgnoreHostKey || undefined,
    insecureOciForceHttp: rest.insecureOCIForceHttp || undefined,
  };
  return { url: repo, type: enableOci ? "oci" : named, ...withoutEmpty({ enableOci, ...fields }) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutEmpty<T extends object>(fields: T): Defined<T> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set) as Defined<T>;
}
