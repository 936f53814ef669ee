import type { ImageChange } from "@capstan/engine";

/** What is known of one application's images beside what the cluster holds; lost without harm. */
export class UpdateMemory {
  /** By itself; milliseconds since 1970. */
  lookAt = 0;
  /** Problems that have been said. */
  said: ReadonlySet<string> = new Set();
  /** Of the last write; undefined: it went well. */
  failure: string | undefined;
  /** Digest of what was committed last, and of the revision that was deployed then. */
  written: string | undefined;
  /** Of the last look; undefined: there was none yet. */
  look: Look | undefined;
  /** The last time that something was written. */
  updated: { readonly atMs: number; readonly changes: readonly ImageChange[] } | undefined;
}

export interface Look {
  /** `NAMESPACE/NAME` of the ImageUpdater that asked for it; undefined: the application's annotations did. */
  readonly updater: string | undefined;
  readonly considered: number;
  readonly errors: number;
}
