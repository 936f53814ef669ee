/** How a state looks: its glyph, its word and the token of its colour. */
export type Tone = "good" | "busy" | "bad" | "warn" | "held" | "void";

export type GlyphName =
  | "check"
  | "unequal"
  | "question"
  | "disc"
  | "half"
  | "cross"
  | "pause"
  | "ring"
  | "turn"
  | "bin";

export interface StateLook {
  readonly glyph: GlyphName;
  readonly word: string;
  readonly tone: Tone;
}

const unknown: StateLook = { glyph: "question", word: "Unknown", tone: "void" };

const healthLooks: Record<string, StateLook> = {
  Healthy: { glyph: "disc", word: "Healthy", tone: "good" },
  Progressing: { glyph: "half", word: "Progressing", tone: "busy" },
  Degraded: { glyph: "cross", word: "Degraded", tone: "bad" },
  Suspended: { glyph: "pause", word: "Suspended", tone: "held" },
  Missing: { glyph: "ring", word: "Missing", tone: "warn" },
  Unknown: unknown,
};

const syncLooks: Record<string, StateLook> = {
  Synced: { glyph: "check", word: "Synced", tone: "good" },
  OutOfSync: { glyph: "unequal", word: "OutOfSync", tone: "warn" },
  Unknown: unknown,
};

const phaseLooks: Record<string, StateLook> = {
  Running: { glyph: "turn", word: "Syncing", tone: "busy" },
  Terminating: { glyph: "turn", word: "Terminating", tone: "warn" },
  Succeeded: { glyph: "check", word: "Succeeded", tone: "good" },
  Failed: { glyph: "cross", word: "Failed", tone: "bad" },
  Error: { glyph: "cross", word: "Error", tone: "bad" },
};

export const healthLook = (status: string | undefined): StateLook => healthLooks[status ?? ""] ?? unknown;
export const syncLook = (status: string | undefined): StateLook => syncLooks[status ?? ""] ?? unknown;
export const phaseLook = (phase: string | undefined): StateLook => phaseLooks[phase ?? ""] ?? unknown;
