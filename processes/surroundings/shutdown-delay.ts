import type { Flags } from "@capstan/cli/record";

/** Of programs that others are sent to by something in front of them. */
export const shutdownFlags = {
  "shutdown-delay-seconds": {
    kind: "integer",
    value: "SECONDS",
    range: [0, 600],
    help: "Time between SIGTERM and its end in which it says at /readyz that it is stopping, and serves as before: what stands in front goes on sending callers for a while. 10 in a Deployment",
    byDefault: "0",
  },
} as const satisfies Flags;

export const shutdownDelayMs = ({ "shutdown-delay-seconds": seconds = 0 }): number => seconds * 1000;
