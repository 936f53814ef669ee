import type { Duplex } from "node:stream";

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
  /** Whether a repository in this folder of the machine is there for it. */
  sees(folder: string): boolean;
  /** Why it is in no sandbox, where it is in none. */
  readonly whyNotConfined?: string;
}

export interface RepoStart {
  /** The one for all, or one for what is rendered by itself because it may have ended the other. */
  readonly role: "main" | "alone";
  /** Repositories of this machine that it is to see. */
  readonly folders: readonly string[];
}
