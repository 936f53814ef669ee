import type { Clock, Lanes } from "@capstan/flow";
import type { HostCalls } from "@capstan/git-hosts";
import type { KubeClient, Settings } from "@capstan/kube";
import type { AppProject } from "@capstan/model";
import type { GitContentRequest, RepoServer } from "@capstan/wire";

/** What generators' questions are answered with. */
export interface AskNeeds {
  readonly repo: Pick<RepoServer, "readGitContent" | "verifySignatures">;
  /** Of the cluster that Capstan's own objects are in. */
  readonly kube: Pick<KubeClient, "get" | "list" | "discovery">;
  /** By which all sets ask the hosts of repositories. */
  readonly hosts: HostCalls;
  readonly settings: { readonly current: Settings };
  readonly clock: Clock;
  /** What those who ask beside each other wait for; absent: nobody waits. */
  readonly lanes?: Lanes;
  readonly controlNamespace: string;
  /** With what global projects add to it. */
  findProject(name: string): AppProject | undefined;
}

/** How new what is known of a repository has to be. */
export type AskFreshness = Pick<GitContentRequest, "noRevisionCache" | "revisionNotBefore">;
