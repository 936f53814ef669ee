import { StateTag } from "../../primitives/glyph.tsx";
import type { StateLook } from "../../primitives/states.ts";

const looks: Record<string, StateLook> = {
  Successful: { glyph: "disc", word: "Connected", tone: "good" },
  Failed: { glyph: "cross", word: "Failed", tone: "bad" },
  Unknown: { glyph: "question", word: "Not known", tone: "void" },
};

/** Whether it can be reached, and if not why. */
export function Connection({ state }: { state: { status: string; message?: string } | undefined }) {
  const look = looks[state?.status ?? "Unknown"] ?? looks.Unknown;
  if (!look) return null;
  return (
    <>
      <span title={state?.message}>
        <StateTag look={look} />
      </span>
      {state?.status === "Failed" && state.message && (
        <span className="connection-reason">{state.message}</span>
      )}
    </>
  );
}
