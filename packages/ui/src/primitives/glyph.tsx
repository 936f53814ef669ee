import type { GlyphName, StateLook } from "./states.ts";

const shapes: Record<GlyphName, string> = {
  check: "M3.5 8.5l3 3 6-7",
  unequal: "M3 6h10M3 10h10M10.500 3l-5 10",
  question: "M5.500 6a2.500 2.500 0 1 1 3.700 2.200c-.8.4-1.200.9-1.200 1.600M8 12.400v.1",
  disc: "M8 3.200a4.800 4.800 0 1 0 0 9.600a4.800 4.800 0 1 0 0-9.600z",
  half: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  cross: "M4 4l8 8M12 4l-8 8",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  ring: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  turn: "M13 8a5 5 0 1 1-1.600-3.700M13 2.500v2.800h-2.800",
  bin: "M3 4.500h10M6.500 4.500v-1.500h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500",
};

export function Glyph({ name, tone, label }: { name: GlyphName; tone: StateLook["tone"]; label?: string }) {
  const named =
    label === undefined
      ? ({ "aria-hidden": true } as const)
      : ({ role: "img", "aria-label": label } as const);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: hidden, or named by its label
    <svg className={`glyph tone-${tone} glyph-${name}`} viewBox="0 0 16 16" {...named}>
      <path
        d={shapes[name]}
        fill={name === "disc" ? "currentColor" : "none"}
        strokeDasharray={name === "ring" ? "2.600 1.300" : undefined}
      />
      {name === "half" && <path d="M8 3a5 5 0 1 0 0 10z" fill="currentColor" />}
    </svg>
  );
}

/** A state in full: its glyph and its word. */
export function StateTag({ look, word }: { look: StateLook; word?: string }) {
  return (
    <span className={`state tone-${look.tone}`}>
      <Glyph name={look.glyph} tone={look.tone} />
      <span>{word ?? look.word}</span>
    </span>
  );
}

/** Only the glyph, for dense places; its word is spoken and shown on hover. */
export function StateMark({ look, about }: { look: StateLook; about?: string }) {
  const label = about ? `${about}: ${look.word}` : look.word;
  return (
    <span className="state-mark" title={label}>
      <Glyph name={look.glyph} tone={look.tone} label={label} />
    </span>
  );
}
