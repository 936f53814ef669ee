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
  readonly kind: HostKind | "awsCodeCommit";
  readonly api: string | undefined;
  readonly access: WrittenAccess;
  readonly isInsecure: boolean;
  readonly caRef: { readonly configMapName: string; readonly key: string } | undefined;
}

/** AWS CodeCommit, which is asked with the rights of Capstan's own process. */
export interface WrittenAws {
  readonly region: string | undefined;
  readonly role: string | undefined;
  readonly tags: readonly { readonly key: string; readonly value?: string | undefined }[];
}

export interface WrittenScope extends WrittenHost {
  readonly aws?: WrittenAws;
  readonly scope: RepositoryScope;
  readonly allBranches: boolean;
  readonly withArchived: boolean;
}

export interface WrittenRepository extends WrittenHost {
  readonly of: RepositoryName;
  readonly query: PullRequestQuery;
}

/** The provider of an SCM provider generator; throws where it names none. */
export function readScope(question: BranchesQuestion): WrittenScope {
  const { github, gitlab, gitea, bitbucketServer, bitbucket, azureDevOps: azure } = question;
  if (github)
    return scopeOf("github", github, {
      owner: github.organization,
      withArchived: github.excludeArchivedRepos !== true,
    });
  if (gitlab) {
    const { includeSubgroups: withSubgroups, includeSharedProjects: withShared, topic } = gitlab;
    // Without a word GitLab lists both, and so does Argo CD, whose documentation says otherwise.
    const withArchived = gitlab.includeArchivedRepos !== false;
    return scopeOf("gitlab", gitlab, {
      owner: gitlab.group,
      withArchived,
      more: { withSubgroups, withShared, topic },
    });
  }
  if (gitea)
    return scopeOf("gitea", gitea, { owner: gitea.owner, withArchived: gitea.excludeArchivedRepos !== true });
  if (bitbucketServer) return scopeOf("bitbucketServer", bitbucketServer, { owner: bitbucketServer.project });
  if (bitbucket) {
    const { owner, user: username, appPasswordRef: passwordRef, allBranches } = bitbucket;
    const basicAuth = passwordRef ? { username, passwordRef } : undefined;
    return scopeOf("bitbucket", { basicAuth, allBranches }, { owner });
  }
  if (azure) {
    const { organization, teamProject, accessTokenRef: tokenRef } = azure;
    return scopeOf("azureDevOps", { ...azure, tokenRef }, { owner: `${organization}/${teamProject}` });
  }
  if (question.awsCodeCommit) {
    const { region, role, tagFilters: tags = [] } = question.awsCodeCommit;
    const aws = { region, role, tags };
    return { ...scopeOf("awsCodeCommit", question.awsCodeCommit, { owner: "" }), aws };
  }
  throw new Error("it names no provider that is known");
}

/** The provider of a pull request generator; throws where it names none. */
export function readRepository(question: PullRequestsQuestion): WrittenRepository {
  const { github, gitlab, gitea, bitbucketServer, bitbucket, azuredevops: azure } = question;
  const of = (
    kind: HostKind,
    written: Written & { readonly query?: PullRequestQuery },
    name: RepositoryName,
  ) => ({
    ...hostOf(kind, written),
    of: name,
    query: written.query ?? {},
  });
  if (github)
    return of(
      "github",
      { ...github, query: { labels: github.labels } },
      { owner: github.owner, name: github.repo },
    );
  if (gitlab) {
    const { project: name, labels, pullRequestState: state } = gitlab;
    return of("gitlab", { ...gitlab, query: { labels, state } }, { owner: "", name });
  }
  if (gitea)
    return of(
      "gitea",
      { ...gitea, query: { labels: gitea.labels } },
      { owner: gitea.owner, name: gitea.repo },
    );
  if (bitbucketServer) {
    const { project: owner, repo: name } = bitbucketServer;
    return of("bitbucketServer", bitbucketServer, { owner, name });
  }
  if (bitbucket) return of("bitbucket", bitbucket, { owner: bitbucket.owner, name: bitbucket.repo });
  if (azure) {
    const { organization, project, repo: name, labels } = azure;
    return of("azureDevOps", { ...azure, query: { labels } }, { owner: `${organization}/${project}`, name });
  }
  throw new Error("it names no provider that is known");
}

/** What a provider of any kind may say. */
interface Written {
  readonly api?: string | undefined;
  readonly tokenRef?: SecretRef | undefined;
  readonly appSecretName?: string | undefined;
  readonly basicAuth?: { readonly username: string; readonly passwordRef: SecretRef } | undefined;
  readonly bearerToken?: { readonly tokenRef: SecretRef } | undefined;
  readonly insecure?: boolean | undefined;
  readonly caRef?: { readonly configMapName: string; readonly key: string } | undefined;
  readonly allBranches?: boolean | undefined;
}

function hostOf(kind: WrittenHost["kind"], written: Written): WrittenHost {
  const { api, tokenRef, appSecretName, basicAuth, bearerToken, insecure = false, caRef } = written;
  const access = { tokenRef: bearerToken?.tokenRef ?? tokenRef, basic: basicAuth, appSecretName };
  return { kind, api, access, isInsecure: insecure, caRef };
}

function scopeOf(
  kind: WrittenHost["kind"],
  written: Written,
  {
    owner,
    withArchived = true,
    more = {},
  }: { owner: string; withArchived?: boolean; more?: Omit<RepositoryScope, "owner"> },
): WrittenScope {
  const { allBranches = false } = written;
  return { ...hostOf(kind, written), scope: { owner, ...more }, allBranches, withArchived };
}
