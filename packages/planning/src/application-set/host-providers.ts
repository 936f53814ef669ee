import type { BranchesQuestion, PullRequestsQuestion } from "@capstan/engine";
import type { HostKind, PullRequestQuery, RepositoryName, RepositoryScope } from "@capstan/git-hosts";

interface SecretRef {
  readonly secretName: string;
  readonly key: string;
}

/** By what a generator is known to a host: one of them, or none. */
export interface WrittenAccess {
  readonly tokenRef?: SecretRef | undefined;
  readonly basic?: { readonly username: string; readonly passwordRef: SecretRef } | undefined;
  /** Of the control namespace, with a GitHub App. */
  readonly appSecretName?: string | undefined;
}

/** What the generators of all providers have in common. */
export interface WrittenHost {
  readonly kind: HostKind;
  readonly api: string | undefined;
  readonly access: WrittenAccess;
  readonly isInsecure: boolean;
  readonly caRef: { readonly configMapName: string; readonly key: string } | undefined;
}

export interface WrittenScope extends WrittenHost {
  readonly scope: RepositoryScope;
  readonly allBranches: boolean;
  readonly withArchived: boolean;
}

export interface WrittenRepository extends WrittenHost {
  readonly of: RepositoryName;
  readonly query: PullRequestQuery;
}

const plain = { isInsecure: false, caRef: undefined };

/** The provider of an SCM provider generator; throws where it names none. */
export function readScope(question: BranchesQuestion): WrittenScope {
  const { github } = question;
  if (github) {
    const { organization: owner, api, tokenRef, appSecretName, allBranches = false } = github;
    const access = { tokenRef, appSecretName };
    const withArchived = github.excludeArchivedRepos !== true;
    return { ...plain, kind: "github", api, access, scope: { owner }, allBranches, withArchived };
  }
  throw new Error("it names no provider");
}

/** The provider of a pull request generator; throws where it names none. */
export function readRepository(question: PullRequestsQuestion): WrittenRepository {
  const { github } = question;
  if (github) {
    const { owner, repo: name, api, tokenRef, appSecretName, labels } = github;
    const access = { tokenRef, appSecretName };
    return { ...plain, kind: "github", api, access, of: { owner, name }, query: { labels } };
  }
  throw new Error("it names no provider");
}
