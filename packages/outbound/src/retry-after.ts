/** After this many seconds nobody asks again: it is a moment since 1970, as Docker Hub and others have told it. */
const leastMoment = 1_000_000_000;

/** In how many ms a server wants to be asked again (RFC 9110 10.2.3); nothing where it does not say. */
export function readRetryAfter(told: string | undefined, nowMs: number): number | undefined {
  const text = told?.trim() ?? "";
  if (text === "") return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : undefined;
  if (seconds !== undefined && seconds <= leastMoment) return seconds * 1000;
  const untilMs = seconds === undefined ? Date.parse(text) : seconds * 1000;
  return Number.isNaN(untilMs) ? undefined : Math.max(untilMs - nowMs, 0);
}
