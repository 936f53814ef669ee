import { type ComponentType, type MouseEvent, memo } from "react";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Glyph, StateTag } from "../../primitives/glyph.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook, phaseLook, type StateLook, syncLook } from "../../primitives/states.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { goTo } from "../../url-state.ts";
import { Cell } from "./cell.tsx";
import { type ColumnKey, columns } from "./columns.ts";
import { toggleFavourite } from "./favourites.ts";
import { RevisionCell } from "./revision-cell.tsx";
import { causeOf, type RowFacts } from "./row-facts.ts";
import type { SelectionActs } from "./use-selection.ts";

interface Props {
  app: RowFacts;
  top: number;
  height: number;
  index: number;
  selection: SelectionActs;
  selected: boolean;
  current: boolean;
  favourite: boolean;
}

/** Clicks on a link, a field or selected text are not meant for the row. */
function meansTheRow({ target }: MouseEvent): boolean {
  if (target instanceof Element && target.closest("a, input, button, label")) return false;
  return window.getSelection()?.isCollapsed !== false;
}

/** Drawn again when something of it is another: changes come for others of thousands all the time. */
export const AppRow = memo(function AppRow(props: Props) {
  const { app, top, height, index, selection, selected, current, favourite } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Table
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row takes the keys; the row only widens its target
    // biome-ignore lint/a11y/useFocusableInteractive: the link in the row takes the focus
    <div
      role="row"
      aria-rowindex={index}
      className={`row app-row${selected ? " selected" : ""}${current ? " current" : ""}`}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={(event) => meansTheRow(event) && goTo(paths.application(app))}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see Table */}
      <span className="col-select" role="cell">
        <input
          type="checkbox"
          aria-label={`Select ${app.name}`}
          checked={selected}
          onClick={(event) => {
            if (!event.shiftKey) return;
            event.preventDefault();
            selection.extend(app.key);
          }}
          onChange={() => selection.toggle(app.key)}
        />
      </span>
      {columns.map(({ key }) => {
        const Content = cells[key];
        return <Content key={key} app={app} favourite={favourite} />;
      })}
    </div>
  );
});

function Name({ app, favourite }: { app: RowFacts; favourite: boolean }) {
  return (
    <>
      <span className="row-name">
        <Anchor href={paths.application(app)} className="row-link">
          <MiddleCut text={app.name} />
        </Anchor>
        {app.deleting && <span className="chip">Deleting</span>}
        <button
          type="button"
          className={favourite ? "favourite on" : "favourite"}
          aria-pressed={favourite}
          aria-label={`${app.name} is a favourite`}
          title={favourite ? "A favourite" : "Make it a favourite"}
          onClick={() => toggleFavourite(app.key)}
        >
          <Icon name="star" size={13} />
        </button>
      </span>
      {app.problem !== "" && (
        <span className="row-problem" title={app.problem}>
          <Glyph name="cross" tone="bad" />
          <span>{causeOf(app)}</span>
        </span>
      )}
    </>
  );
}

/** What is under way, else how it compares. */
export function syncStateLook({ operation, sync }: RowFacts): StateLook {
  if (operation === "Running") return phaseLook("Running");
  return operation === "Retrying" ? { glyph: "turn", word: "Retrying", tone: "bad" } : syncLook(sync);
}

/** What stands in each column. */
const cells: Record<ColumnKey, ComponentType<{ app: RowFacts; favourite: boolean }>> = {
  name: ({ app, favourite }) => (
    <Cell of="name">
      <Name app={app} favourite={favourite} />
    </Cell>
  ),
  health: ({ app }) => (
    <Cell of="health">
      <StateTag look={healthLook(app.health)} />
    </Cell>
  ),
  sync: ({ app }) => (
    <Cell of="sync">
      <StateTag look={syncStateLook(app)} />
    </Cell>
  ),
  revision: RevisionCell,
  project: ({ app }) => (
    <Cell of="project" dim>
      <MiddleCut text={app.project} />
    </Cell>
  ),
  destination: ({ app }) => (
    <Cell of="destination" dim title={`${app.cluster}/${app.destinationNamespace}`}>
      <MiddleCut text={app.destinationNamespace || "–"} />
      {app.cluster !== "in-cluster" && <span className="cluster-name">{app.cluster}</span>}
    </Cell>
  ),
  age: ({ app }) => (
    <Cell of="age" dim>
      <TimeAgo at={app.syncedAt} otherwise="never" />
    </Cell>
  ),
};
