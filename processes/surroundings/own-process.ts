import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Before it collects, V8 lets a heap grow to twice what it holds and more, and gives little of it back. A program that
 * mostly holds what it has read lets it grow by a tenth. While it starts, what it reads stays: room for what is
 * short-lived need not grow until `giveBackMemory`. What Node has read of its compile cache it holds until that is
 * written, beside what was made of it.
 */
export function keepHeapSmall(): void {
  isHeapSmall = true;
  flushCompileCache();
  setFlagsFromString("--heap-growing-percent=10");
  setFlagsFromString("--semi-space-growth-factor=1");
}

let isHeapSmall = false;

/** Whether `keepHeapSmall` was asked for. */
export function heapIsKeptSmall(): boolean {
  return isHeapSmall;
}

/**
 * Gives back what starting has left behind: V8 would wait for as much again. Of the last resort, for only that makes the
 * room of what is short-lived small again. Takes some 200 ms for 10,000 Applications.
 */
export function giveBackMemory(): void {
  flushCompileCache();
  garbageCollector()?.({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--semi-space-growth-factor=2");
  // From now on 2 MB more are reason to collect, not 8; while it read, each of them would have been.
  setFlagsFromString("--optimize-for-size");
}

/** V8's own, of this thread; none while another thread asks for its own, for flags are those of the process. */
export function garbageCollector(): typeof globalThis.gc {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? (options) => collect(options) : undefined;
}

/** Capstan's version, as package.json has it. */
export function ownVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")).version;
}

/** By what those who are asked know who asks. */
export const userAgentOf = ({ version }: { readonly version: string }): string => `capstan/${version}`;
