import type { RefObject } from "react";
import { Button } from "../../primitives/button.tsx";
import { FilterMenu } from "../../primitives/filter-menu.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { Segmented } from "../../primitives/segmented.tsx";
import { useHrefWith } from "../../url-state.ts";
import type { ListContent } from "./list-rows.ts";
import { type Facet, isFiltered, type ListView, toggled, withoutFilters } from "./list-view.ts";
import { MoreFilters } from "./more-filters.tsx";
import { SavedViews } from "./saved-views.tsx";

interface Props {
  content: ListContent;
  view: ListView;
  searchField: RefObject<HTMLInputElement | null>;
  onChange(view: ListView): void;
}

const menus: readonly { facet: Facet; label: string }[] = [
  { facet: "project", label: "Project" },
  { facet: "cluster", label: "Cluster" },
  { facet: "namespace", label: "Namespace" },
  { facet: "label", label: "Label" },
];

export function FilterLine({ content, view, searchField, onChange }: Props) {
  const hrefWith = useHrefWith();
  return (
    <div className="filter-line">
      <SearchField {...{ view, searchField, onChange }} />
      {menus.map(({ facet, label }) => (
        <FilterMenu
          key={facet}
          label={label}
          values={() => content.values(facet)}
          chosen={view.chosen[facet]}
          onToggle={(value) => onChange(toggled(view, facet, value))}
        />
      ))}
      <MoreFilters {...{ content, view, onChange }} />
      {isFiltered(view) && (
        <Button look="quiet" icon="close" onClick={() => onChange(withoutFilters(view))}>
          Clear
        </Button>
      )}
      <span className="shown dim" role="status">
        {content.shown === content.all
          ? `${content.all.toLocaleString()} applications`
          : `${content.shown.toLocaleString()} of ${content.all.toLocaleString()}`}
      </span>
      <SavedViews view={view} onChange={onChange} />
      <GroupChoice {...{ content, view, onChange }} />
      <Segmented
        label="Layout"
        segments={[
          {
            label: "Table",
            icon: "table",
            href: hrefWith({ view: undefined }),
            current: view.layout === "table",
          },
          {
            label: "Tiles",
            icon: "tiles",
            href: hrefWith({ view: "tiles" }),
            current: view.layout === "tiles",
          },
        ]}
      />
    </div>
  );
}

function SearchField({ view, searchField, onChange }: Omit<Props, "content">) {
  return (
    <label className="search-field">
      <Icon name="search" size={14} />
      <span className="visually-hidden">Search applications</span>
      <input
        ref={searchField}
        type="search"
        placeholder="Name, project, repository, namespace"
        value={view.text}
        onChange={(event) => onChange({ ...view, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
        }}
      />
      <kbd>/</kbd>
    </label>
  );
}

function GroupChoice({ content, view, onChange }: Omit<Props, "searchField">) {
  const labels = [...new Set(content.values("label").map(({ value }) => value.split("=")[0] ?? ""))];
  return (
    <label className="select-field wide-only">
      <span className="dim">Group</span>
      <select value={view.group} onChange={(event) => onChange({ ...view, group: event.target.value })}>
        <option value="">none</option>
        <option value="project">project</option>
        <option value="cluster">cluster</option>
        <option value="namespace">namespace</option>
        {labels.map((label) => (
          <option key={label} value={`label:${label}`}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
