import type { Duplex } from "node:stream";
import type { RepoServerSetup } from "@capstan/wire";
import type { LocalGitGrant } from "./local-git.ts";

/** How a repo server's process ended. */
export interface RepoEnd {
  /** "it was ended by SIGKILL" */
  readonly how: string;
  /**
   * `memory`, `stall`: it passed a limit. `crash`: it ended itself in another way. `killed`: something else did, which
   * may be the kernel where the machine's memory is used up.
   */
  readonly cause: "memory" | "stall" | "crash" | "killed";
  /** Which limit it passed, for people. */
  readonly limit?: string;
}

/** A repo server that has been started as a process of its own. */
export interface RepoProcess {
  /** To it. */
  readonly stream: Duplex;
  readonly ended: Promise<RepoEnd>;
  /** At once. */
  kill(): void;
  /** What it sees nothing of by itself, and where it may fetch it; absent: it sees what its user does. */
  readonly localGit?: LocalGitGrant;
  /** Whether files that it is to see came, went or were replaced since it started: another one would see them as they are. */
  isOutdated?(): boolean;
  /** Why it is in no sandbox, where it is in none. */
  readonly whyNotConfined?: string;
}

export interface RepoStart {
  /** The one for all, or one for what is rendered by itself because it may have ended the other. */
  readonly role: "main" | "alone";
}

/** What a process is told at its start: where repositories of this machine are to be had is its own. */
export function setupOf({ localGit }: RepoProcess, { setup }: { setup: RepoServerSetup }): RepoServerSetup {
  return localGit ? { ...setup, localGit: localGit.address } : setup;
}
