export { BoundedMap } from "./bounded-map.ts";
export type { Clock } from "./clock.ts";
export { deadline } from "./deadline.ts";
export { growingPause } from "./growing-pause.ts";
export { KeyedQueue, type Turn } from "./keyed-queue.ts";
export { type Lane, Lanes } from "./lanes.ts";
export { Limiter, type LimiterOptions } from "./limiter.ts";
export { Listeners } from "./listeners.ts";
export { liveQueues, showQueue } from "./live-queues.ts";
export { once } from "./once.ts";
export { longText, ownTurn } from "./own-turn.ts";
export { byRendezvous } from "./rendezvous.ts";
export { runLimited } from "./run-limited.ts";
export { orAborted, SharedCalls } from "./shared-calls.ts";
export { systemClock } from "./system-clock.ts";
export {
  type EndedStep,
  isTraced,
  type Step,
  type StepFacts,
  type Tracer,
  takeSteps,
  tellStep,
  traced,
  tracedFrom,
  traceIdOf,
  traceparent,
  traceWith,
} from "./trace.ts";
export { untilAborted } from "./until-aborted.ts";
export { ValuesByKey } from "./values-by-key.ts";
