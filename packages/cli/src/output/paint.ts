import type { Io } from "../io.ts";

export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

const codes: Readonly<Record<Colour, readonly [number, number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  bold: [1, 22],
  dim: [2, 22],
};

/** What painters write, and nothing else that a terminal obeys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
export const ownColours = /\x1b\[(?:1|2|22|3[1236]|39)m/g;

export type Paint = (colour: Colour, text: string) => string;

/** Colours only for people at a terminal who have not asked for none (no-color.org). */
export function painter({ outIsTerminal, env }: Pick<Io, "outIsTerminal" | "env">): Paint {
  if (!outIsTerminal || env.NO_COLOR || env.TERM === "dumb") return (_colour, text) => text;
  return (colour, text) => {
    const [on, off] = codes[colour];
    return text === "" ? text : `\x1b[${on}m${text}\x1b[${off}m`;
  };
}

const stateColours: Readonly<Record<string, Colour>> = {
  Synced: "green",
  Healthy: "green",
  Succeeded: "green",
  OutOfSync: "yellow",
  Progressing: "cyan",
  Running: "cyan",
  Suspended: "cyan",
  Missing: "yellow",
  Degraded: "red",
  Failed: "red",
  Error: "red",
  SyncFailed: "red",
};

export function paintState(paint: Paint, state: string): string {
  const colour = stateColours[state];
  return colour ? paint(colour, state) : state;
}
