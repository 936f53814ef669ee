import type { PermittedSource } from "@capstan/engine/permit";
import {
  type BareAddress,
  credentialFields,
  inheritCredentials,
  isSameRepository,
  type Repository,
  steeringFields,
  templateFor,
  withoutUserinfo,
  withTrust,
} from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import type { SecretSource, Settings, SettingsProblem } from "./settings.ts";

const texts = [...credentialFields, "proxy", "noProxy", "name", "project"] as const;
const booleans = ["insecure", "enableLfs", "forceHttpBasicAuth", "useAzureWorkloadIdentity"] as const;

/** What tokens are asked for with, which only git is given. */
const ofGit = ["githubAppPrivateKey", "gcpServiceAccountKey", "useAzureWorkloadIdentity"] as const;

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
  const isChartRegistry = reader.boolean("enableOCI", false) && type === "helm";
  repository.type = isChartRegistry ? "oci" : type;
  if (isChartRegistry) repository.enableOci = true;
  for (const field of texts) {
    const value = reader.text(field);
    if (value !== undefined) repository[field] = field === "sshPrivateKey" ? `${value}\n` : value;
  }
  for (const field of booleans) if (reader.boolean(field, false)) repository[field] = true;
  if (repository.type !== "git")
    for (const field of ofGit)
      if (repository[field] !== undefined)
        reader.problem(field, `has no effect on a repository of type ${repository.type}: give it a password`);
  if (reader.boolean("insecureIgnoreHostKey", false)) repository.insecure = true;
  if (reader.boolean("insecureOCIForceHttp", false)) repository.insecureOciForceHttp = true;
  const depth = reader.integer("depth");
  if (depth !== undefined) repository.depth = depth;
  return repository;
}

/**
 * The repository of a URL with its credentials: a Secret of this project first, then one of no project; without
 * credentials of its own it takes those of a template. An unknown URL needs none.
 */
export function repositoryFor(settings: RepositorySettings, url: string, project?: string): Repository {
  const { repositories } = settings;
  const same = repositories.filter((one) => isSameRepository(one.url, url, spellingOf(one)));
  const found =
    same.find((one) => project !== undefined && one.project === project) ??
    same.find((one) => one.project === undefined);
  const repository: Repository = found ? { ...withoutSource(found), url } : { url };
  return completeRepository(settings, repository, project);
}

/** With the credentials of a template, where it has none of its own, and what its host is known by. */
export function completeRepository(
  { credentialTemplates, trust }: Omit<RepositorySettings, "repositories">,
  repository: Repository,
  project: string | undefined,
): Repository {
  return withTrust(inheritCredentials(repository, credentialTemplates, project), trust);
}

/** The repository of an application, with its credentials. */
export function permittedRepository(settings: RepositorySettings, source: PermittedSource): Repository {
  return repositoryFor(settings, source.url, source.project);
}

/** How the address of one without a scheme reads. */
export function spellingOf({ type }: Pick<Repository, "type">): BareAddress {
  return type === "oci" ? "oci" : "git";
}

/** Repositories of projects that go without the credentials of their template, and why. */
export function noteLoneRepositories(
  { repositories, credentialTemplates }: Omit<RepositorySettings, "trust">,
  note: (problem: SettingsProblem) => void,
): void {
  for (const one of repositories) {
    const fields = steeringFields(one);
    const template = fields.length > 0 && templateFor(credentialTemplates, one.url, one.project);
    if (!template) continue;
    const problem = `a repository of project ${one.project} that sets it does not get the credentials of the template for ${withoutUserinfo(template.url)}: give it credentials of its own, or set it in the template`;
    note({ where: `Secret ${one.secret.secretName}`, field: fields.join(", "), problem });
  }
}

type RepositorySettings = Pick<Settings, "repositories" | "credentialTemplates" | "trust">;

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
    credentialTemplates: credentialTemplates
      .filter(mayUse)
      .map((one) => withTrust(withoutSource(one), settings.trust)),
  };
}

function withoutSource({ secret: _, ...repository }: Repository & { secret: SecretSource }): Repository {
  return repository;
}
