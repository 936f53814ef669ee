import type { FromThread } from "./messages.ts";

/** A `done` with the value of the one that stands at that place of the same crossing. */
interface Repeat {
  readonly kind: "repeat";
  readonly id: number;
  readonly of: number;
}

export type Crossing = readonly (FromThread | Repeat)[];

/** Shorter texts cost less to send than to compare. */
const shortest = 1_000;
/** So many different texts of one crossing are compared with. */
const mostCompared = 8;

/**
 * Several watches of one kind tell the same at the same time: of texts that one crossing has several times all but the first
 * are sent as what they are.
 */
export function withoutRepeats(messages: readonly FromThread[]): Crossing {
  const seen: { at: number; text: string }[] = [];
  return messages.map((message, at) => {
    if (message.kind !== "done" || typeof message.value !== "string") return message;
    const { id, value: text } = message;
    if (text.length < shortest) return message;
    const same = seen.find((one) => one.text === text);
    if (same) return { kind: "repeat", id, of: same.at };
    if (seen.length < mostCompared) seen.push({ at, text });
    return message;
  });
}

/** What was sent. */
export function withRepeats(messages: Crossing): readonly FromThread[] {
  return messages.map((message) => {
    if (message.kind !== "repeat") return message;
    const first = messages[message.of];
    return { kind: "done", id: message.id, value: first?.kind === "done" ? first.value : undefined };
  });
}
