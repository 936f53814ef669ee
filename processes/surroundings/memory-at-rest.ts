/**
 * Loaded by each thread that holds much. What a burst of work has taken V8 keeps until as much again is wanted, and
 * without work nothing is: a thread that rests collects once, after which V8 gives back what is free within seconds.
 */
import { getHeapStatistics } from "node:v8";
import { garbageCollector, growHeapSlowly, heapIsKeptSmall } from "./own-process.ts";

const lookMs = 1_000;
/** Processor time of the thread between two looks: below it, it rests. */
const restingUs = 20_000;
/** What is worth a collection, which takes about a millisecond for each megabyte that stays. */
const worthBytes = 24 * 2 ** 20;
/** From then on it grows slowly. */
const largeBytes = 96 * 2 ** 20;
/** A collection takes at most this share of the work since the one before. */
const share = 1 / 16;

const spentUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let seenUs = spentUs();
let isLarge = false;
let isResting = false;
let collected = { atUs: 0, tookUs: 0, heldBytes: 0 };

function look(): void {
  const nowUs = spentUs();
  const rested = isResting;
  isResting = nowUs - seenUs < restingUs;
  seenUs = nowUs;
  if (!isResting && !isLarge && getHeapStatistics().total_heap_size > largeBytes) {
    isLarge = true;
    growHeapSlowly();
  }
  if (!isResting || !rested) return;
  const { atUs, tookUs, heldBytes } = collected;
  if ((nowUs - atUs) * share < tookUs || getHeapStatistics().total_heap_size - heldBytes < worthBytes) return;
  const collect = garbageCollector();
  if (!collect) return;
  // Only that of the last resort makes the room of what is short-lived small again, and gives back free pages at once; it
  // takes three times as long.
  const flavor = heapIsKeptSmall() ? "last-resort" : "regular";
  collect({ type: "major", execution: "sync", flavor });
  seenUs = spentUs();
  collected = { atUs: seenUs, tookUs: seenUs - nowUs, heldBytes: getHeapStatistics().total_heap_size };
}

setInterval(look, lookMs).unref();
