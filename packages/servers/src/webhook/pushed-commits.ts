import type { Clock } from "@capstan/flow";
import type { Application, ApplicationSource } from "@capstan/model";
import { EventQueue } from "./event-queue.ts";
import { firstFollower } from "./match-applications.ts";
import type { PushEvent } from "./push-event.ts";
import { keyOf, type Push } from "./push-queue.ts";

interface PushedCommit {
  /** One of those that follow it. */
  readonly app: Application;
  readonly source: ApplicationSource;
  readonly revision: string;
}

export interface CommitNeeds {
  /** The commit that an application is about to ask for. */
  fetchRevision(
    app: Application,
    wanted: Pick<PushedCommit, "source" | "revision">,
    signal: AbortSignal,
  ): Promise<void>;
  clock: Clock;
  log: { info(facts: object, message: string): void };
  signal: AbortSignal;
}

/**
 * The commit that a branch points to now. Only where the sender has proved who it is: a host gives commits that are on
 * no branch of the repository, those of its forks among them.
 */
export function provenCommit({ event: { ref, revision }, isProven }: Push): string | undefined {
  if (!isProven || revision === undefined || !ref.startsWith("refs/heads/")) return undefined;
  // Of a branch that is gone a sender says zeros.
  return /^[0-9a-f]{40}$/.test(revision) && !/^0+$/.test(revision) ? revision : undefined;
}

/** Commits that pushes name are fetched while the remote is asked what its branches are at. */
export class PushedCommits {
  readonly #queue: EventQueue<PushedCommit>;

  constructor({ fetchRevision, clock, log, signal }: CommitNeeds) {
    this.#queue = new EventQueue({
      name: "pushed commits",
      clock,
      run: ({ app, ...wanted }) => fetchRevision(app, wanted, signal),
      failed: (push, error) => {
        const message = "a pushed commit was not fetched at once: it is when somebody asks for it";
        if (!signal.aborted) log.info({ push, err: error }, message);
      },
    });
  }

  /** Where one of the applications follows it. */
  fetch(event: PushEvent, revision: string, applications: Iterable<Application>): void {
    const follower = firstFollower(event, applications);
    if (follower) this.#queue.add(keyOf(event), { ...follower, revision });
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
