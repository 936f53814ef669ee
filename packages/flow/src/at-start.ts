/** What a program needs before it knows what it is to do. */
export { BoundedMap } from "./bounded-map.ts";
export { systemClock } from "./system-clock.ts";
export { traceIdOf, traceparent } from "./trace.ts";
