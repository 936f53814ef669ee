import type { CommandOutput } from "@capstan/plugin-kit";
import type { GitAccess } from "./git-access.ts";
import type { GitCredentials } from "./git-credentials.ts";

export interface FetchFrom {
  url: string;
  /** Asks the address, and where it leads. */
  following<Value>(ask: (url: string) => Promise<Value>): Promise<Value>;
  openAccess(): Promise<GitAccess>;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Git in a copy. */
export type GitHere = (
  args: readonly string[],
  more?: { access?: GitCredentials; stdin?: string },
) => Promise<CommandOutput>;
