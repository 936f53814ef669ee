import type { RepositoryName } from "../git-host.ts";
import type { HostCalls } from "../host-calls.ts";
import { HostError } from "../host-error.ts";
import type { MergeBranches, MergeHost, MergeRequest, MergeText } from "./merge-host.ts";

export interface MergeWish extends MergeBranches, MergeText {
  readonly of: RepositoryName;
  readonly labels: readonly string[];
  /** The commit that is wished for: the head of the branch. */
  readonly revision: string;
  /** The commit was pushed just now: what was said of an open request before is out of date. */
  readonly isNew: boolean;
}

export interface MergeAsked {
  readonly outcome: MergeOutcome;
  readonly number: number;
  /** What of it could not be done, for people. */
  readonly lacks?: string | undefined;
}

/** `declined`: somebody has closed it; `merged`: it has been done. */
export type MergeOutcome = "opened" | "changed" | "open" | "merged" | "declined";

const limits = { title: 255, body: 65_536 };

/**
 * One open request for a branch. Which there are is asked first, so that whoever was killed in between opens no second
 * one; where another was faster, his is it. What somebody has closed is not opened again for the same commit.
 */
export async function askForMerge(
  host: MergeHost,
  { calls, wish }: { calls: Pick<HostCalls, "clock">; wish: MergeWish },
  signal: AbortSignal,
): Promise<MergeAsked> {
  const text = { title: wish.title.slice(0, limits.title), body: wish.body.slice(0, limits.body) };
  // No answer that is kept will do, and be it of the same millisecond: what was done since is not in it.
  const find = () => host.find(wish.of, wish, { signal, notBeforeMs: calls.clock.now() + 1 });
  const found = await find();
  const open = found.find(({ state }) => state === "open");
  if (open) return keep(open, { ...wish, ...text }, signal);
  // A closed one of an earlier commit says nothing of this one.
  const ended = found.find(({ headSha }) => headSha !== "" && wish.revision.startsWith(headSha));
  if (ended) return { outcome: ended.state === "merged" ? "merged" : "declined", number: ended.number };
  try {
    return { outcome: "opened", ...(await host.open(wish.of, { ...wish, ...text }, signal)) };
  } catch (error) {
    if (!(error instanceof HostError) || error.retryAtMs !== undefined) throw error;
    const other = (await find()).find(({ state }) => state === "open");
    if (!other) throw error;
    return { outcome: "open", number: other.number };
  }
}

/** What people have written there stays, until there is another commit. */
async function keep(
  open: MergeRequest,
  { title, body, isNew }: MergeWish,
  signal: AbortSignal,
): Promise<MergeAsked> {
  if (!isNew) return { outcome: "open", number: open.number };
  await open.change({ title, body }, signal);
  return { outcome: "changed", number: open.number };
}
