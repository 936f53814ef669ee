/** Go durations ("1h30m", "500ms"); a bare number is seconds, as Argo CD's retry settings take it. */
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

const unitMs: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds, or nothing when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (text === "" || text.length > 64) return undefined;
  let at = 0;
  let total = 0;
  while (at < text.length) {
    part.lastIndex = at;
    const match = part.exec(text);
    if (match === null) return undefined;
    total += Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
    at = part.lastIndex;
  }
  return total;
}
