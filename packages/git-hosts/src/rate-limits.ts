import type { IncomingHttpHeaders } from "node:http";
import { readRetryAfter } from "@capstan/outbound";

/** A host that asks for more than this does not know what it says. */
const longestMs = 24 * 3_600_000;
const unsaidMs = 60_000;
const shortestMs = 1_000;

/**
 * Until when a host wants to be left alone, in milliseconds since 1970; undefined: it does not.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
 * https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers, RFC 9110 10.2.3
 */
export function pauseOf(
  { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  nowMs: number,
): number | undefined {
  const isRefused = status === 429 || status === 403 || status === 503;
  const after = isRefused ? readAfter(headers["retry-after"], nowMs) : undefined;
  const reset = isSpent(headers) ? readReset(headers, nowMs) : undefined;
  const said = after ?? reset;
  // Spent, but nobody says until when: only a refusal counts.
  if (said === undefined) return status === 429 ? nowMs + unsaidMs : undefined;
  return Math.min(Math.max(said, nowMs + shortestMs), nowMs + longestMs);
}

function isSpent(headers: IncomingHttpHeaders): boolean {
  return ["x-ratelimit-remaining", "ratelimit-remaining"].some((name) => headers[name] === "0");
}

function readAfter(text: string | undefined, nowMs: number): number | undefined {
  const ms = readRetryAfter(text, nowMs);
  return ms === undefined ? undefined : nowMs + ms;
}

/** Seconds since 1970 (GitHub, GitLab), or a date. */
function readReset(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = String(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? "");
  if (!/^\d{1,12}$/.test(text)) return readAfter(text, nowMs);
  const seconds = Number(text);
  // Some count seconds from now (RateLimit header fields, draft-ietf-httpapi-ratelimit-headers).
  return seconds > 1_000_000_000 ? seconds * 1000 : nowMs + seconds * 1000;
}
