import type { Repository } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import type { SecretSource, Settings } from "./settings.ts";

const texts = [
  "username",
  "password",
  "bearerToken",
  "sshPrivateKey",
  "tlsClientCertData",
  "tlsClientCertKey",
  "proxy",
  "noProxy",
  "name",
  "project",
] as const;
const booleans = ["insecure", "enableLfs", "forceHttpBasicAuth"] as const;

/** A Secret with the label secret-type=repository or repo-creds. Source: util/db/repository_secrets.go. */
export function readRepository(
  reader: ValueReader,
  secret: SecretSource,
): (Repository & { secret: SecretSource }) | undefined {
  const url = reader.text("url");
  if (url === undefined) {
    reader.problem("url", "is missing");
    return undefined;
  }
  const repository: Repository & { secret: SecretSource } = { url, secret };
  const type = reader.oneOf("type", ["git", "helm", "oci"], "git");
  repository.type = reader.boolean("enableOCI", false) && type === "helm" ? "oci" : type;
  for (const field of texts) {
    const value = reader.text(field);
    if (value !== undefined) repository[field] = field === "sshPrivateKey" ? `${value}\n` : value;
  }
  for (const field of booleans) if (reader.boolean(field, false)) repository[field] = true;
  if (reader.boolean("insecureIgnoreHostKey", false)) repository.insecure = true;
  if (reader.boolean("insecureOCIForceHttp", false)) repository.insecureOciForceHttp = true;
  const depth = reader.integer("depth");
  if (depth !== undefined) repository.depth = depth;
  return repository;
}

const credentials = [
  "username",
  "password",
  "bearerToken",
  "sshPrivateKey",
  "tlsClientCertData",
  "tlsClientCertKey",
] as const;

/**
 * The repository of a URL with its credentials: a Secret of this project first, then one of no project; without
 * credentials of its own it takes those of the longest matching repo-creds. An unknown URL needs none.
 */
export function repositoryFor(
  { repositories, credentialTemplates }: RepositorySettings,
  url: string,
  project?: string,
): Repository {
  const wanted = normalizeGitUrl(url);
  const same = repositories.filter((repository) => normalizeGitUrl(repository.url) === wanted);
  const found =
    same.find((repository) => project !== undefined && repository.project === project) ??
    same.find((repository) => repository.project === undefined);
  const repository: Repository = found ? { ...withoutSource(found), url } : { url };
  if (credentials.some((field) => repository[field] !== undefined)) return repository;
  const template = longestPrefix(credentialTemplates, wanted);
  if (!template) return repository;
  for (const field of credentials) {
    const value = template[field];
    if (value !== undefined) repository[field] = value;
  }
  const { type, proxy, noProxy, forceHttpBasicAuth } = template;
  if (repository.type === undefined && type !== undefined) repository.type = type;
  if (repository.proxy === undefined && proxy !== undefined) repository.proxy = proxy;
  if (repository.noProxy === undefined && noProxy !== undefined) repository.noProxy = noProxy;
  if (forceHttpBasicAuth) repository.forceHttpBasicAuth = true;
  return repository;
}

type RepositorySettings = Pick<Settings, "repositories" | "credentialTemplates">;

export interface ProjectRepositories {
  readonly repositories: readonly Repository[];
  readonly credentialTemplates: readonly Repository[];
}

/** By project, as long as the settings are the same. */
const ofProjects = new WeakMap<RepositorySettings, Map<string, ProjectRepositories>>();

/** All that an application of the project may use, with their credentials; and credentials by beginnings of URLs. */
export function repositoriesOf(settings: RepositorySettings, project: string): ProjectRepositories {
  const known = ofProjects.get(settings) ?? new Map<string, ProjectRepositories>();
  ofProjects.set(settings, known);
  const found = known.get(project) ?? findRepositories(settings, project);
  known.set(project, found);
  return found;
}

function findRepositories(settings: RepositorySettings, project: string): ProjectRepositories {
  const mayUse = (one: Repository) => one.project === undefined || one.project === project;
  const { repositories, credentialTemplates } = settings;
  return {
    repositories: repositories.filter(mayUse).map(({ url, name }) => {
      const repository = repositoryFor(settings, url, project);
      return name === undefined ? repository : { ...repository, name };
    }),
    credentialTemplates: credentialTemplates.map(withoutSource),
  };
}

function withoutSource({ secret: _, ...repository }: Repository & { secret: SecretSource }): Repository {
  return repository;
}

function longestPrefix<T extends { url: string }>(templates: readonly T[], url: string): T | undefined {
  let best: { template: T; length: number } | undefined;
  for (const template of templates) {
    const prefix = normalizeGitUrl(template.url);
    if (url.startsWith(prefix) && prefix.length > (best?.length ?? 0))
      best = { template, length: prefix.length };
  }
  return best?.template;
}

/** Different spellings of one repository give one text. Source: util/git/git.go NormalizeGitURL. */
export function normalizeGitUrl(url: string): string {
  let text = url.trim().toLowerCase();
  const scp = /^(?:ssh:\/\/)?([^/@]+@[^/:]+):(?!\d+\/)(.*)$/.exec(text);
  if (scp) text = `${scp[1]}/${scp[2]?.replace(/^\//, "")}`;
  return text
    .replace(/^ssh:\/\//, "")
    .replace(/\/$/, "")
    .replace(/\.git$/, "");
}
