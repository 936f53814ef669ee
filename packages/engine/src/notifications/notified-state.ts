import { compareBytes, isRecord } from "@capstan/formats";
import type { Destination } from "./notification-entry.ts";

export const notifiedAnnotation = "notified.notifications.argoproj.io";

/** notifiedHistoryMaxSize of notifications-engine. */
const mostEntries = 100;

/** What a condition of a trigger came to (notifications-engine pkg/triggers ConditionResult). */
export interface ConditionResult {
  /** `[<index>].<hash of when>`. */
  readonly key: string;
  /** "": it has none, or the condition does not hold. */
  readonly oncePer: string;
  readonly templates: readonly string[];
  readonly holds: boolean;
}

/** By whom, of what and to whom: the name under which it is remembered that somebody was told. */
export function notifiedKey({
  configNamespace,
  trigger,
  result: { key, oncePer },
  to,
}: {
  /** Only of an application namespace's own configuration. */
  configNamespace?: string | undefined;
  trigger: string;
  result: ConditionResult;
  to: Destination;
}): string {
  const parts = [trigger, key, to.service, to.recipient];
  if (configNamespace !== undefined) parts.unshift(configNamespace);
  if (oncePer !== "") parts.unshift(oncePer);
  return parts.join(":");
}

/** Who was told what, by key: when, in seconds since 1970. Written on the object as notifications-engine does. */
export type NotifiedState = ReadonlyMap<string, number>;

/** What an annotation says; one that is not as it should be says nothing (pkg/controller/state.go NewState). */
export function readNotified(text: string | undefined): NotifiedState {
  if (!text) return new Map();
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return new Map();
  }
  const entries = isRecord(read) ? Object.entries(read) : [];
  const times = entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]));
  return times.length === entries.length ? new Map(times) : new Map();
}

/** The oldest beyond a hundred are left out; undefined: nothing is remembered. Go's encoding/json in every character. */
export function printNotified(state: NotifiedState): string | undefined {
  if (state.size === 0) return undefined;
  const byName = [...state].sort(([one], [other]) => compareBytes(one, other));
  const kept = new Map(byName.toSorted(([, one], [, other]) => one - other).slice(-mostEntries));
  const parts = byName.filter(([key]) => kept.has(key)).map(([key, time]) => `${quote(key)}:${time}`);
  return `{${parts.join(",")}}`;
}

function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
