import { formatTime, parseTime } from "@capstan/formats";
import type { RemovalBudget } from "@capstan/model";

/**
 * Whether what would be taken away is more than may be at once. `allowed`: it is, and a person has allowed it. The code
 * names what is held: how many, and what is wanted in place of them.
 */
export type RemovalVerdict =
  | { readonly kind: "within" }
  | { readonly kind: "allowed"; readonly message: string }
  | { readonly kind: "held"; readonly code: string; readonly message: string };

export interface RemovalInput {
  /** What would be taken away, as people know it. */
  readonly removed: readonly string[];
  /** How many there are now, those that go among them. */
  readonly total: number;
  readonly budget: RemovalBudget;
  /** The annotation by which a person has allowed something, and its text. */
  readonly allowance: { readonly key: string; readonly text: string | undefined };
  readonly nowMs: number;
  /** Stands for what is wanted; asked for only where something is held. */
  digest(): string;
  readonly words: {
    /** "objects" */
    readonly things: string;
    /** Of what the allowance was, where it does not fit: "another state of git". */
    readonly other: string;
    /** "pruning" */
    readonly removing: string;
    /** "are not in git any more, and one sync may prune" */
    readonly why: string;
    /** By which the code is allowed: "capstan app allow-prune web". */
    readonly command: string;
  };
}

/** SHA-256 of a text, in hexadecimal. */
export type DigestOf = (text: string) => string;

/** Few are seen at a glance: of no more, all may go. */
const alwaysFree = 10;

export function judgeRemoval(input: RemovalInput): RemovalVerdict {
  const { removed, total, budget, allowance, nowMs, words } = input;
  const count = removed.length;
  if (budget === "off" || total <= alwaysFree || count === 0 || count * 100 <= budget.percent * total)
    return { kind: "within" };
  const digest = input.digest().slice(0, digestLength);
  const { text } = allowance;
  const given = readAllowance(text ?? "");
  const what = `${count} of ${total} ${words.things} (${Math.round((count * 100) / total)} %)`;
  const fits = given !== undefined && given.digest === digest && count <= given.count;
  if (fits && isFresh(given, nowMs))
    return { kind: "allowed", message: `${words.removing} ${what} was allowed at ${formatTime(given.atMs)}` };
  const code = `${count}-${digest}`;
  const former = text === undefined ? "" : ` (${whyNot(input, given, fits)})`;
  return {
    kind: "held",
    code,
    message: `${what} ${words.why} ${budget.percent} %: ${listed(removed)}. They are kept until that is allowed${former}: ${words.command} ${code}`,
  };
}

const digestLength = 20;
const codePattern = /^(\d{1,9})-([0-9a-f]{20})$/;

/** Whether a text is a code as a verdict has it. */
export function isRemovalCode(text: string): boolean {
  return codePattern.test(text);
}

/** The annotation that allows what a code names, from a time on (RFC 3339). */
export function formatAllowance(code: string, at: string): string {
  return `${code}@${at}`;
}

/** A consent is about what was seen: whoever comes back after a day looks again. */
const allowanceMs = 24 * 3_600_000;
/** Clocks of people and clusters differ. */
const clockSkewMs = 5 * 60_000;

interface Allowance {
  count: number;
  digest: string;
  atMs: number;
}

function readAllowance(text: string): Allowance | undefined {
  const at = text.indexOf("@");
  const [, count, digest] = codePattern.exec(text.slice(0, Math.max(at, 0))) ?? [];
  const atMs = parseTime(text.slice(at + 1));
  if (count === undefined || digest === undefined || atMs === undefined) return undefined;
  return { count: Number(count), digest, atMs };
}

function isFresh({ atMs }: Allowance, nowMs: number): boolean {
  return atMs <= nowMs + clockSkewMs && nowMs < atMs + allowanceMs;
}

function whyNot(
  { allowance: { key }, words: { things, other } }: RemovalInput,
  given: Allowance | undefined,
  fits: boolean,
): string {
  if (given === undefined) return `the annotation ${key} cannot be read`;
  const { count } = given;
  const at = formatTime(given.atMs);
  if (fits) return `what was allowed at ${at} was for a day`;
  return `what was allowed at ${at}, up to ${count} ${things}, was about ${other}`;
}

const maxListed = 5;

function listed(names: readonly string[]): string {
  const first = names.slice(0, maxListed).join(", ");
  return names.length <= maxListed ? first : `${first} and ${names.length - maxListed} more`;
}
