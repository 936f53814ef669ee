import { credentialFields, type Repository } from "./repository.ts";
import { bestTemplate } from "./repository-address.ts";

/** Fields that decide which way a password goes, and who can read it underway. */
const steering = ["proxy", "noProxy", "insecure", "insecureOciForceHttp", "forceHttpBasicAuth"] as const;

export type SteeringField = (typeof steering)[number];

/**
 * Fields of a project's own repository with which it may not have the credentials of a template: whoever writes it
 * may be a tenant, and a proxy or a connection without TLS would let him read a password that is not his.
 */
export function steeringFields(repository: Repository): SteeringField[] {
  if (repository.project === undefined || hasCredentials(repository)) return [];
  return steering.filter((field) => repository[field] !== undefined && repository[field] !== false);
}

/** Credentials of its own: nothing is taken from a template, not even what is missing. */
export function hasCredentials(repository: Repository): boolean {
  const isByIdentity = repository.useAzureWorkloadIdentity === true;
  return isByIdentity || credentialFields.some((field) => repository[field] !== undefined);
}

/** The credential template of a repository; one of a project is for that project alone. */
export function templateFor<T extends Repository>(
  templates: readonly T[],
  url: string,
  project: string | undefined,
): T | undefined {
  const usable = templates.filter((one) => one.project === undefined || one.project === project);
  return bestTemplate(usable, url);
}

/**
 * A repository with the credentials that an application of the project may use for it: its own, else those of the
 * template with the longest fitting path (util/db/repository_secrets.go, Repository.CopyCredentialsFrom).
 */
export function inheritCredentials(
  repository: Repository,
  templates: readonly Repository[],
  project: string | undefined,
): Repository {
  if (hasCredentials(repository) || steeringFields(repository).length > 0) return repository;
  const template = templateFor(templates, repository.url, project);
  if (!template) return repository;
  const { type, proxy, noProxy, forceHttpBasicAuth, tlsAuthorities, knownHosts } = template;
  const { useAzureWorkloadIdentity = false } = template;
  const given = Object.fromEntries(credentialFields.map((field) => [field, template[field]]));
  const taken = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...(type === undefined ? {} : { type }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...(forceHttpBasicAuth ? { forceHttpBasicAuth } : {}),
    ...(tlsAuthorities === undefined ? {} : { tlsAuthorities }),
    ...(knownHosts === undefined ? {} : { knownHosts }),
    ...repository,
    ...Object.fromEntries(taken),
    ...(useAzureWorkloadIdentity ? { useAzureWorkloadIdentity } : {}),
    ...(hasCredentials(template) ? { inheritedCreds: true } : {}),
  };
}
