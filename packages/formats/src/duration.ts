/** Go's durations (time.ParseDuration): "1h30m", "500ms", "-1.5s". */
const unitNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};
const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h|d)/y;
const longestText = 64;

/** In nanoseconds; nothing when the text is no duration, or longer than 64 bits hold. `days`: "1d" is one too. */
export function parseNanoseconds(text: string, { days = false } = {}): bigint | undefined {
  if (text.length > longestText) return undefined;
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "") return undefined;
  let total = 0n;
  for (let at = 0; at < unsigned.length && unsigned !== "0"; at = part.lastIndex) {
    part.lastIndex = at;
    const [, whole = "", fraction = "", unit = ""] = part.exec(unsigned) ?? [];
    const size = unitNs[unit];
    if (size === undefined || (unit === "d" && !days) || (whole === "" && fraction === "")) return undefined;
    total += BigInt(whole || 0) * size + (BigInt(fraction || 0) * size) / 10n ** BigInt(fraction.length);
  }
  const signed = text.startsWith("-") ? -total : total;
  return BigInt.asIntN(64, signed) === signed ? signed : undefined;
}

/**
 * Milliseconds to wait: a duration of Go that is not negative, or a bare number of seconds, as Argo CD's retry settings
 * and argocd's --timeout take it. Nothing when the text is none. `days`: "1d" is one too.
 */
export function parseDuration(text: string, { days = false } = {}): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const nanoseconds = text.startsWith("-") ? undefined : parseNanoseconds(text, { days });
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

/** Go's Duration.String: "1h0m3.5s". */
export function printNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${printNanoseconds(-nanoseconds)}`;
  const size = nanoseconds;
  if (size === 0n) return "0s";
  if (size < 1_000n) return `${size}ns`;
  if (size < 1_000_000n) return `${Number(size) / 1e3}µs`;
  if (size < 1_000_000_000n) return `${Number(size) / 1e6}ms`;
  const seconds = size / 1_000_000_000n;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  const [hours, minutes] = [seconds / 3_600n, (seconds / 60n) % 60n];
  const tail = `${seconds % 60n}${fraction === "" ? "" : `.${fraction}`}s`;
  if (hours > 0n) return `${hours}h${minutes}m${tail}`;
  return minutes > 0n ? `${minutes}m${tail}` : tail;
}
