import type { Clock } from "@capstan/flow";

const maxLines = 100;
const maxLinesOfOne = 10;
const periodMs = 60_000;

interface Facts {
  /** Whoever fills the log takes no other's lines. */
  readonly address: string;
}

/** Writes what strangers can cause: a few lines a minute for each address, then how many were left out. */
export function boundedLog<F extends Facts>(
  write: (facts: object, message: string) => void,
  clock: Pick<Clock, "now">,
): (facts: F, message: string) => void {
  const linesOf = new Map<string, number>();
  let period = { beganMs: Number.NEGATIVE_INFINITY, lines: 0, leftOut: 0 };
  return (facts, message) => {
    const now = clock.now();
    if (now - period.beganMs >= periodMs) {
      if (period.leftOut > 0) write({ leftOut: period.leftOut }, `${message}, and more`);
      period = { beganMs: now, lines: 0, leftOut: 0 };
      linesOf.clear();
    }
    const own = linesOf.get(facts.address) ?? 0;
    if (own >= maxLinesOfOne || period.lines >= maxLines) {
      period.leftOut += 1;
      return;
    }
    linesOf.set(facts.address, own + 1);
    period.lines += 1;
    write(facts, message);
  };
}
