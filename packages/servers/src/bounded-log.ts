import type { Clock } from "@capstan/model";

const maxLines = 20;
const periodMs = 60_000;

type Write = (facts: object, message: string) => void;

/** Writes what strangers can cause: twenty lines a minute at most, then how many were left out. */
export function boundedLog(write: Write, clock: Pick<Clock, "now">): Write {
  let period = { beganMs: Number.NEGATIVE_INFINITY, lines: 0, leftOut: 0 };
  return (facts, message) => {
    const now = clock.now();
    if (now - period.beganMs >= periodMs) {
      if (period.leftOut > 0) write({ leftOut: period.leftOut }, `${message}, and more`);
      period = { beganMs: now, lines: 0, leftOut: 0 };
    }
    period.lines += 1;
    if (period.lines <= maxLines) write(facts, message);
    else period.leftOut += 1;
  };
}
