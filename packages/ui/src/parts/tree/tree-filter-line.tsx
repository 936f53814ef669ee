import type { Application } from "@capstan/model";
import { Button } from "../../primitives/button.tsx";
import { FilterMenu } from "../../primitives/filter-menu.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { readResourceKey, resourceTitle } from "../../resource-id.ts";
import { changeSearch } from "../../url-state.ts";
import { objectCount } from "../application-facts.ts";
import { SyncFound } from "./choosing.tsx";
import { isFiltering, type TreeFacet, type TreeFilter, treeFacets, treeFacetValues } from "./tree-filter.ts";
import type { TreeRoot } from "./tree-items.ts";

interface Props {
  app: Application;
  /** All that could be found, and what was. */
  root: TreeRoot;
  found: TreeRoot;
  filter: TreeFilter;
}

const labels: Record<TreeFacet, string> = { kind: "Kind", health: "State", sync: "Sync", owner: "Owner" };

const words: Record<TreeFacet, (value: string) => string> = {
  kind: (value) => value,
  health: (value) => healthLook(value).word,
  sync: (value) => syncLook(value).word,
  owner: (value) => resourceTitle(readResourceKey(value)),
};

export function TreeFilterLine({ app, root, found, filter }: Props) {
  const toggle = (facet: TreeFacet, value: string) => {
    const chosen = filter.chosen[facet];
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    changeSearch({ [facet]: next.join(",") });
  };
  const clear = () =>
    changeSearch({ find: undefined, ...Object.fromEntries(treeFacets.map((facet) => [facet, undefined])) });
  return (
    <div className="tree-tools tree-filter">
      <label className="search-field">
        <Icon name="search" size={14} />
        <span className="visually-hidden">Find objects by name</span>
        <input
          type="search"
          placeholder="Name of an object"
          value={filter.text}
          onChange={(event) => changeSearch({ find: event.target.value })}
          onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        />
      </label>
      {treeFacets.map((facet) => (
        <FilterMenu
          key={facet}
          label={labels[facet]}
          values={() => treeFacetValues(root)[facet]}
          chosen={filter.chosen[facet]}
          onToggle={(value) => toggle(facet, value)}
          word={words[facet]}
        />
      ))}
      {isFiltering(filter) && (
        <Button look="quiet" icon="close" onClick={clear}>
          Clear
        </Button>
      )}
      <span className="dim" role="status">
        {isFiltering(filter) ? `${found.size} shown of ${objectCount(root.size)}` : objectCount(root.size)}
      </span>
      {isFiltering(filter) && <SyncFound app={app} found={found} />}
    </div>
  );
}
