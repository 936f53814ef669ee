import { healthOrder } from "@capstan/model";
import { StateMark } from "../../primitives/glyph.tsx";
import { healthLook } from "../../primitives/states.ts";
import type { Row } from "./list-rows.ts";

interface Props {
  group: Extract<Row, { kind: "group" }>;
  place: { top: number; height: number; index: number };
}

export function GroupRow({ group, place }: Props) {
  const counts = Map.groupBy(group.apps, (app) => app.health);
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Table
    // biome-ignore lint/a11y/useFocusableInteractive: headings of groups take no focus
    <div
      className="row group-row"
      role="row"
      aria-rowindex={place.index}
      style={{ height: place.height, transform: `translateY(${place.top}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see Table */}
      <span role="cell" className="group-cell">
        <strong>{group.label || "(none)"}</strong>
        <span className="dim">{group.apps.length}</span>
        {healthOrder.map((status) => {
          const count = counts.get(status)?.length ?? 0;
          if (count === 0 || status === "Healthy") return null;
          return (
            <span key={status} className="group-count">
              <StateMark look={healthLook(status)} />
              {count}
            </span>
          );
        })}
      </span>
    </div>
  );
}
