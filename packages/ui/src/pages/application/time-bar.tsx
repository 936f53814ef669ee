import type { ExplainedRender } from "@capstan/wire";
import { spanText } from "../../primitives/durations.ts";
import { timeParts } from "./stage-changes.ts";

/** Widths are shares of the whole time; the list of the same is for readers of any kind. */
export function TimeBar({ source }: { source: ExplainedRender }) {
  const parts = timeParts(source);
  const isKept = source.stages.every(({ cache, ms }) => cache === "hit" && ms === 0);
  const whole = parts.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <section className="render-time" aria-label="Time of the last render">
      <p>
        <strong>{source.plugin}</strong> at <code>{source.revision.slice(0, 7)}</code>
        <span className="dim">
          {isKept
            ? ` · kept from an earlier run, found in ${spanText(whole)}`
            : ` · the last run of each part took ${spanText(whole)} together`}
        </span>
      </p>
      <div className="time-bar" aria-hidden="true">
        {parts.map(({ name, ms }, index) => (
          <span key={name} className={`time-part part-${index % 4}`} style={{ flexGrow: ms }} title={name} />
        ))}
      </div>
      <ul className="time-words">
        {parts.map(({ name, ms }, index) => (
          <li key={name}>
            <span className={`time-key part-${index % 4}`} aria-hidden="true" /> {name}{" "}
            <span className="dim">{spanText(ms)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
