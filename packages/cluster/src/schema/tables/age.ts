/** "5m30s", "3h", "12d": apimachinery/pkg/util/duration HumanDuration. */
export function printDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / 60_000);
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, "s")}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / 3_600_000);
  if (hours < 8) return `${hours}h${rest(minutes % 60, "m")}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return `${days}d${rest(hours % 24, "h")}`;
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return days < 365 * 8 ? `${years}y${rest(days % 365, "d")}` : `${years}y`;
}

function rest(amount: number, unit: string): string {
  return amount === 0 ? "" : `${amount}${unit}`;
}

export function printAge(timestamp: unknown, now: number): string {
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? "<unknown>" : printDuration(now - at);
}
