import type { EndedStep } from "@capstan/flow";
import type { RenderMetrics } from "@capstan/render";
import type { RepoServer, RepoServerState } from "@capstan/wire";

/** Of one message, in either direction: an answer with its texts, but for manifests, which come in parts. */
export const maxFrameBytes = 128 * 2 ** 20;
/** More than may wait for a render, since other calls come beside them. */
export const maxCalls = 20_000;

/** The methods that have an answer, by their names on the wire. */
export type RepoMethod = Exclude<keyof RepoServer, "forgetRevisions">;

/** What the repo server's process counts, to be counted where /metrics is read. */
export type Counted = {
  [Name in keyof RenderMetrics]: { name: Name; args: Parameters<RenderMetrics[Name]> };
}[keyof RenderMetrics];

/** What either side tells, without an answer. */
export interface Told {
  /** To the process: what has changed. */
  state: Partial<RepoServerState>;
  /** To the process: a repository with new commits. */
  forget: { url: string };
  /** From the process. */
  log: { level: "debug" | "info" | "warn" | "error"; message: string; facts: Record<string, unknown> };
  counted: readonly Counted[];
  /** From the process, where it is followed. */
  steps: readonly EndedStep[];
  /** From a repo server that ends: what it is answering it answers, the next call is somebody else's. */
  leaving: object;
}
