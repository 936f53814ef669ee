import type { ProxyVariables, TlsSettings } from "@capstan/outbound";
import type { HostCalls, Look } from "./host-calls.ts";

export type HostCredential =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  /** `installation`: undefined where the host is to be asked which one is the owner's. */
  | {
      readonly kind: "githubApp";
      readonly id: string;
      readonly installation?: string | undefined;
      readonly privateKey: string;
    };

/** Which server, and as whom. */
export interface HostSettings {
  /** The address of the API as people write it; undefined: the public service's. */
  readonly api?: string | undefined;
  /** undefined: as anybody. */
  readonly credential?: HostCredential | undefined;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: ProxyVariables | undefined;
  /** The address is a stranger's: it may not lead to this machine or to its surroundings. */
  readonly guarded: boolean;
  readonly calls: HostCalls;
}

/** What is listed for: an organization, a group, a user, a project. */
export interface RepositoryScope {
  /** Azure DevOps: `organization/project`. */
  readonly owner: string;
  /** GitLab: also projects of groups within. Default false. */
  readonly withSubgroups?: boolean | undefined;
  /** GitLab: also projects that others share with the group. Default true. */
  readonly withShared?: boolean | undefined;
  /** GitLab: with this topic only. */
  readonly topic?: string | undefined;
}

export interface HostedRepository {
  /** As it is named among people: organization, group, owner, project. */
  readonly organization: string;
  readonly name: string;
  /** What the host's API knows it by. */
  readonly key: string;
  readonly id: string | undefined;
  readonly sshUrl: string;
  readonly httpsUrl: string;
  /** undefined: it has no branch yet. */
  readonly defaultBranch: string | undefined;
  readonly isArchived: boolean;
  /** Topics, or what the host has in their place. */
  readonly labels: readonly string[];
}

export interface HostedBranch {
  readonly name: string;
  readonly sha: string;
}

export interface RepositoryName {
  /** Azure DevOps: `organization/project`; GitLab: "" where the name is all. */
  readonly owner: string;
  readonly name: string;
}

export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly branch: string;
  readonly targetBranch: string;
  readonly headSha: string;
  readonly labels: readonly string[];
}

export interface PullRequestQuery {
  /** All of them have to be there. */
  readonly labels?: readonly string[] | undefined;
  /** GitLab: opened, closed, locked, merged, all; undefined: as each host has it without a word, for GitLab all. */
  readonly state?: string | undefined;
}

/**
 * One server of git repositories and its REST API. Each method gives all that there is, however many pages that takes,
 * or rejects with a HostError.
 */
export interface GitHost {
  listRepositories(scope: RepositoryScope, look: Look): Promise<HostedRepository[]>;
  /** Only the default branch, unless `all` are wanted; none where the repository is empty. */
  listBranches(repository: HostedRepository, all: boolean, look: Look): Promise<HostedBranch[]>;
  /** Whether there is a file or folder of this path. */
  hasPath(
    repository: HostedRepository,
    at: { branch: HostedBranch; path: string },
    look: Look,
  ): Promise<boolean>;
  /** undefined: there is no such repository, or nobody with this credential may see it. */
  listPullRequests(
    of: RepositoryName,
    query: PullRequestQuery,
    look: Look,
  ): Promise<PullRequest[] | undefined>;
}
