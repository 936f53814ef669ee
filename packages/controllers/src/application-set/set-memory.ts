import { ElementMemory, type GeneratedApplication } from "@capstan/engine";
import type { ApplicationSet } from "@capstan/model";

/** What is known of one set beside what the cluster holds; lost without harm. */
export class SetMemory {
  /** Of which its generators were asked last. */
  spec: ApplicationSet["spec"] | undefined;
  /** What they made; undefined: they failed, or nobody has asked yet. */
  made: readonly GeneratedApplication[] | undefined;
  /** What each element became. */
  readonly elements = new ElementMemory();
  /** Its generators are to be asked again at this time, whatever else happens. */
  generateAt: number | undefined = 0;
  /** While its generators are asked: ends that. */
  asking: AbortController | undefined;
  /** Applications of these names have changed; those of no other are looked at. */
  readonly changed = new Set<string>();
  /** All of its Applications are to be looked at. */
  looksAtAll = true;
  /** The status tells again of Applications at this time. */
  tellAt: number | undefined;
  /** Applications that are not written, with the reason. */
  problems = new Map<string, string>();
  /** Writes that failed in a row. */
  failures = 0;
  retryAt: number | undefined;

  nextAt(): number | undefined {
    const times = [this.generateAt, this.tellAt, this.retryAt].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
