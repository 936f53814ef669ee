import type { CommandOutput } from "@capstan/plugin-kit";
import type { GitAccess } from "./git-access.ts";
import type { GitRun } from "./git-program.ts";
import type { HttpGitQuestion } from "./http-git.ts";

export interface FetchFrom {
  url: string;
  /** Asks the address, and where it leads. */
  following(ask: (url: string) => Promise<unknown>): Promise<unknown>;
  /** Asks an address over HTTP without git, for at most so long. Undefined: git is to be asked. */
  askHttp<Value>(
    url: string,
    question: HttpGitQuestion<Value>,
    timeoutMs: number,
  ): Promise<Value | undefined>;
  openAccess(): Promise<GitAccess>;
  signal: AbortSignal;
  timeoutMs: number;
  /** The same way, for as long as this signal has it: for those who share a fetch. */
  until(signal: AbortSignal): FetchFrom;
}

/** Git in a copy. */
export type GitHere = (
  args: readonly string[],
  more?: Partial<Pick<GitRun, "access" | "stdin" | "maxStdoutBytes">>,
) => Promise<CommandOutput>;
