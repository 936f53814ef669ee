/**
 * Loaded by each thread that holds much. What a burst of work has taken V8 keeps until as much again is wanted, and
 * without work nothing is: a thread that rests collects once, after which V8 gives back what is free within seconds.
 */
import { flushCompileCache } from "node:module";
import { getHeapStatistics } from "node:v8";
import { garbageCollector, heapIsKeptSmall } from "./own-process.ts";

const lookMs = 1_000;
/** As long as it rests and there is nothing to give back: each look wakes it, which is most of what a thread costs then. */
const restingLookMs = 5_000;
/** Of a processor between two looks: below it, it rests. */
const restingShare = 1 / 50;
/** What is worth a collection, which takes about a millisecond for each megabyte that stays. */
const worthBytes = 24 * 2 ** 20;
/** A collection takes at most this share of the work since the one before: of all threads, for V8's own help with it. */
const share = 1 / 16;

const spentUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let seen = { us: spentUs(), ms: performance.now() };
let isResting = false;
let collected = { atUs: 0, tookUs: 0, heldBytes: 0 };

function look(): void {
  const now = { us: spentUs(), ms: performance.now() };
  const rested = isResting;
  isResting = now.us - seen.us < (now.ms - seen.ms) * 1_000 * restingShare;
  seen = now;
  if (isResting && rested) giveBack();
  setTimeout(look, isResting && rested ? restingLookMs : lookMs).unref();
}

/** Where it is worth its time. */
function giveBack(): void {
  const { atUs, tookUs, heldBytes } = collected;
  if ((seen.us - atUs) * share < tookUs || getHeapStatistics().total_heap_size - heldBytes < worthBytes)
    return;
  const collect = garbageCollector();
  if (!collect) return;
  // Only that of the last resort makes the room of what is short-lived small again, and gives back free pages at once; it
  // takes three times as long.
  const flavor = heapIsKeptSmall() ? "last-resort" : "regular";
  const before = process.cpuUsage();
  collect({ type: "major", execution: "sync", flavor });
  const took = process.cpuUsage(before);
  seen = { us: spentUs(), ms: performance.now() };
  collected = {
    atUs: seen.us,
    tookUs: took.user + took.system,
    heldBytes: getHeapStatistics().total_heap_size,
  };
}

setTimeout(() => {
  // Node holds what it has read of its compile cache until that is written; and whoever is killed would write none.
  flushCompileCache();
  look();
}, lookMs).unref();
