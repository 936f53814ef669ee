import type { AnswerKey } from "@capstan/wire";

/**
 * How an application was found that is at rest: Synced, and nothing to be said of it. While all of it is as it was,
 * another look would find the same, so that a process that has just started need neither render nor compare.
 */
export interface Standing {
  /** Digest of all that a comparison depends on but what git says: see standing.ts. */
  readonly facts: string;
  /** What git said, by source: as Desired has them. */
  readonly keys: readonly AnswerKey[];
}

/** Kept from one process to the next; what is lost costs a comparison. By `namespace/name`. */
export interface Standings {
  get(app: string): Standing | undefined;
  set(app: string, standing: Standing | undefined): void;
}
