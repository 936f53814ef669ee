import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { Unfolding } from "../../primitives/unfolding.tsx";
import type { ListContent } from "./list-rows.ts";
import { type Facet, type ListView, toggled } from "./list-view.ts";

interface Props {
  content: ListContent;
  view: ListView;
  onChange(view: ListView): void;
}

interface Section {
  readonly facet: Facet;
  readonly label: string;
  /** What a value is called; without it as it is. */
  readonly words?: Readonly<Record<string, string>>;
}

const sections: readonly Section[] = [
  { facet: "favourite", label: "Favourites", words: { yes: "Favourites only" } },
  { facet: "changed", label: "Last sync", words: { hour: "In the last hour", day: "In the last day" } },
  { facet: "auto", label: "Synced", words: { on: "Automatically", off: "By hand" } },
  { facet: "repo", label: "Repository" },
  { facet: "target", label: "Revision" },
];
/** More are found by their application's search. */
const listedAtMost = 12;

/** Filters that are wanted less often than the others, in one place. */
export function MoreFilters({ content, view, onChange }: Props) {
  const chosen = sections.reduce((sum, { facet }) => sum + view.chosen[facet].length, 0);
  return (
    <Unfolding label={chosen > 0 ? `More: ${chosen}` : "More"} filter={chosen > 0 ? "on" : "off"}>
      {(id) => (
        <div className="menu-list filter-list more-filters" id={id}>
          {sections.map((section) => (
            <FilterSection key={section.facet} {...{ section, content, view, onChange }} />
          ))}
        </div>
      )}
    </Unfolding>
  );
}

function FilterSection({ section, content, view, onChange }: Props & { section: Section }) {
  const { facet, label, words } = section;
  const counts = new Map(content.values(facet).map(({ value, count }) => [value, count]));
  const chosen = view.chosen[facet];
  const known = words ? Object.keys(words) : [...counts.keys()];
  const shown = [...chosen.filter((value) => !known.includes(value)), ...known].slice(0, listedAtMost);
  return (
    <fieldset className="filter-section">
      <legend className="filter-section-name">{label}</legend>
      {shown.map((value) => (
        <label key={value} className="filter-value">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onChange(toggled(view, facet, value))}
          />
          <MiddleCut text={words?.[value] ?? value} />
          <span className="dim">{counts.get(value) ?? 0}</span>
        </label>
      ))}
    </fieldset>
  );
}
