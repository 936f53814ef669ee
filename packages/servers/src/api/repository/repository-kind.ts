import type { Settings } from "@capstan/kube";

type Stored = Settings["repositories"];

/** What repositories are kept for: each use has its own Secrets, rights and calls. */
export interface RepositoryKind {
  /** Of rights; `repocreds` have those of their repositories. */
  readonly resource: "repositories" | "write-repositories";
  readonly secretType: "repository" | "repository-write";
  readonly templateType: "repo-creds" | "repo-write-creds";
  /** How names of Secrets begin. */
  readonly prefix: string;
  readonly templatePrefix: string;
  stored(settings: Settings): Stored;
  templates(settings: Settings): Stored;
}

export const forReading: RepositoryKind = {
  resource: "repositories",
  secretType: "repository",
  templateType: "repo-creds",
  prefix: "repo",
  templatePrefix: "creds",
  stored: ({ repositories }) => repositories,
  templates: ({ credentialTemplates }) => credentialTemplates,
};

export const forWriting: RepositoryKind = {
  resource: "write-repositories",
  secretType: "repository-write",
  templateType: "repo-write-creds",
  prefix: "repo-write",
  templatePrefix: "creds-write",
  stored: ({ writeRepositories }) => writeRepositories,
  templates: ({ writeCredentialTemplates }) => writeCredentialTemplates,
};
