import type { SyncWindow } from "@capstan/model";
import { StateTag } from "../../primitives/glyph.tsx";
import { useNow } from "../../primitives/now.ts";
import type { StateLook } from "../../primitives/states.ts";
import { type Span, windowTimes } from "./window-times.ts";

const dayMs = 86_400_000;
const shownDays = 7;

const open: Record<string, StateLook> = {
  allow: { glyph: "check", word: "Open: syncs may run", tone: "good" },
  deny: { glyph: "pause", word: "Open: syncs are held", tone: "held" },
};
const closed: StateLook = { glyph: "ring", word: "Closed", tone: "void" };

/** Each window with what it is for, and when it is open in the next days. */
export function ProjectWindows({ windows }: { windows: readonly SyncWindow[] }) {
  const now = useNow();
  const from = new Date(now).setHours(0, 0, 0, 0);
  const whole = { fromMs: from, untilMs: from + shownDays * dayMs };
  if (windows.length === 0) return <p className="dim">None: syncs may run at any time.</p>;
  return (
    <ul className="window-list">
      {windows.map((window, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a window is its place; two may be equal
        <li key={index}>
          <Window {...{ window, whole, now }} />
        </li>
      ))}
    </ul>
  );
}

function Window({ window, whole, now }: { window: SyncWindow; whole: Span; now: number }) {
  const times = windowTimes(window, whole);
  const { kind = "allow", schedule, duration, timeZone, description } = window;
  const isOpen = Array.isArray(times) && times.some(({ fromMs, untilMs }) => fromMs <= now && now < untilMs);
  return (
    <>
      <p>
        <strong>{kind}</strong> <code>{schedule}</code> for {duration} ({timeZone || "UTC"}){" "}
        <StateTag look={isOpen ? (open[kind] ?? closed) : closed} />
      </p>
      <p className="dim">
        {[description, subjectOf(window), window.manualSync && "syncs by hand may run all the same"]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {Array.isArray(times) ? (
        <WindowLine {...{ kind, times, whole, now }} />
      ) : (
        <p className="connection-reason">It holds every sync: {times.problem}</p>
      )}
    </>
  );
}

function subjectOf({ applications, namespaces, clusters }: SyncWindow): string {
  const part = (word: string, values: readonly string[] | undefined) =>
    values?.length ? [`${word} ${values.join(", ")}`] : [];
  const parts = [
    ...part("applications", applications),
    ...part("namespaces", namespaces),
    ...part("clusters", clusters),
  ];
  return parts.join("; ") || "concerns nothing";
}

interface LineProps {
  kind: string;
  times: readonly Span[];
  whole: Span;
  now: number;
}

/** A week from left to right; the words beside it say the same for now. */
function WindowLine({ kind, times, whole, now }: LineProps) {
  const share = (ms: number) => `${((ms - whole.fromMs) / (whole.untilMs - whole.fromMs)) * 100}%`;
  const days = Array.from({ length: shownDays }, (_, day) => whole.fromMs + day * dayMs);
  return (
    <div className="window-line" aria-hidden="true">
      {days.map((day) => (
        <span key={day} className="window-day" style={{ left: share(day) }}>
          {new Date(day).toLocaleDateString(undefined, { weekday: "short" })}
        </span>
      ))}
      {times.map(({ fromMs, untilMs }) => (
        <span
          key={fromMs}
          className={`window-span ${kind}`}
          title={`${new Date(fromMs).toLocaleString()} – ${new Date(untilMs).toLocaleString()}`}
          style={{ left: share(fromMs), width: share(whole.fromMs + untilMs - fromMs) }}
        />
      ))}
      <span className="window-now" style={{ left: share(now) }} />
    </div>
  );
}
