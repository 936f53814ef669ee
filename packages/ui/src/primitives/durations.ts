const steps = [
  { ms: 86_400_000 * 365, word: "y" },
  { ms: 86_400_000, word: "d" },
  { ms: 3_600_000, word: "h" },
  { ms: 60_000, word: "min" },
] as const;

/** "just now", "3 min ago", "5 d ago"; a clock that runs a little ahead is no reason to say "in 2 s". */
export function agoText(then: number, now: number): string {
  const passed = now - then;
  if (passed < 10_000) return "just now";
  if (passed < 60_000) return `${Math.floor(passed / 10_000) * 10} s ago`;
  return `${spanText(passed)} ago`;
}

/** "850 ms", "4.2 s", "3 min", "2 d". */
export function spanText(ms: number): string {
  const step = steps.find((candidate) => ms >= candidate.ms);
  if (step) return `${Math.floor(ms / step.ms)} ${step.word}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.floor(ms / 1000)} s`;
}

/** Kubernetes writes whole seconds, so that two equal times only say "within the same second". */
export function tookText(
  startedAt: string | null | undefined,
  finishedAt: string | null | undefined,
): string {
  const start = timeOf(startedAt);
  const end = timeOf(finishedAt);
  if (start === undefined || end === undefined || end < start) return "";
  return end === start ? "took less than 1 s" : `took ${spanText(end - start)}`;
}

/** Times in a message of the server's, which are UTC's, as they are here. */
export function withLocalTimes(message: string): string {
  return message.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => new Date(time).toLocaleString());
}

export function timeOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
