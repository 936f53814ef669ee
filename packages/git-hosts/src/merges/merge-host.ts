import type { RepositoryName } from "../git-host.ts";
import type { Look } from "../host-calls.ts";

/** Of the same repository. */
export interface MergeBranches {
  readonly head: string;
  readonly base: string;
}

export interface MergeText {
  readonly title: string;
  readonly body: string;
}

export interface MergeRequest {
  readonly number: number;
  readonly state: "open" | "merged" | "closed";
  /** Of its head; shortened by some hosts. */
  readonly headSha: string;
  /** Says something else of it. */
  change(text: MergeText, signal: AbortSignal): Promise<void>;
}

/** Pull requests of a host, or merge requests: they are one thing with two names. */
export interface MergeHost {
  /** All of these two branches, the newest first; those from forks are other people's. */
  find(of: RepositoryName, branches: MergeBranches, look: Look): Promise<MergeRequest[]>;
  /** Resolves to its number, and to what of the labels could not be done. */
  open(
    of: RepositoryName,
    wish: MergeBranches & MergeText & { readonly labels: readonly string[] },
    signal: AbortSignal,
  ): Promise<{ number: number; lacks?: string }>;
}
