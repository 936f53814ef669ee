export { BoundedMap } from "./bounded-map.ts";
export type { Clock } from "./clock.ts";
export { deadline } from "./deadline.ts";
export { KeyedQueue, type KeyedQueueOptions, type Turn } from "./keyed-queue.ts";
export { Limiter, type LimiterOptions } from "./limiter.ts";
export { Listeners } from "./listeners.ts";
export { once } from "./once.ts";
export { runLimited } from "./run-limited.ts";
export { orAborted, SharedCalls } from "./shared-calls.ts";
