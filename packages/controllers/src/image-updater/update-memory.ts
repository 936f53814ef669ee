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
}
