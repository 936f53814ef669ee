import { healthRank } from "@capstan/model";
import type { FoundResource } from "@capstan/wire";
import { useDeferredValue, useMemo } from "react";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { type FacetValue, FilterMenu } from "../../primitives/filter-menu.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { type ResourceQuestion, useResources } from "../../queries/resources.ts";
import { resourceKey } from "../../resource-id.ts";
import { changeSearch, useSearch } from "../../url-state.ts";

const listOf = (text: string | undefined) => text?.split(",").filter(Boolean) ?? [];

/** More rows than this are found by asking closer. */
const mostRows = 500;

/** Every object of every application: where an image runs, who has an object, what is unwell anywhere. */
export function ResourcesPage() {
  const search = useSearch();
  const asked = useDeferredValue(search);
  const question = useMemo(() => questionOf(asked), [asked]);
  const query = useResources(question);
  const items = useMemo(
    () => query.data?.pages.flatMap((page) => page.items).sort((one, other) => rankOf(one) - rankOf(other)),
    [query.data],
  );
  return (
    <div className="listing">
      <Listing
        title="Resources"
        query={query}
        items={items?.slice(0, mostRows)}
        keyOf={(one) => `${one.application.namespace}/${one.application.name} ${resourceKey(one)}`}
        actions={<span role="status">{items && countText(items.length, query.hasNextPage)}</span>}
        columns={columns}
        empty={<p>No object of an application that you may see is so.</p>}
        filters={<Filters search={search} items={items ?? []} />}
      />
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Look through more applications
        </Button>
      )}
    </div>
  );
}

function countText(count: number, isMore: boolean): string {
  const shown = count > mostRows ? `the worst ${mostRows} of ` : "";
  return `${shown}${count.toLocaleString()}${isMore ? " and more" : ""} ${count === 1 ? "object" : "objects"}`;
}

function questionOf(search: Readonly<Record<string, string>>): ResourceQuestion {
  const lists = { kind: listOf(search.kind), health: listOf(search.health), sync: listOf(search.sync) };
  return {
    ...(search.q && { search: search.q }),
    ...(search.image && { image: search.image }),
    ...(search.orphaned && { orphaned: search.orphaned === "yes" }),
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
  };
}

/** Unwell first, then what differs. */
function rankOf({ health, sync }: FoundResource): number {
  return healthRank(health ?? "Healthy") * 2 + (sync === "OutOfSync" ? 0 : 1);
}

/** What a phone shows without scrolling stands first. */
const columns = [
  {
    label: "Object",
    cell: (one: FoundResource) => (
      <>
        <span className="dim">{one.kind}</span>{" "}
        <Anchor href={paths.resource(one.application, resourceKey(one))}>
          <MiddleCut text={one.name} />
        </Anchor>
        {one.isOrphan && <span className="chip">orphaned</span>}
      </>
    ),
  },
  {
    label: "State",
    cell: ({ health, sync, message }: FoundResource) => (
      <span className="resource-states" title={message}>
        {sync && <StateTag look={syncLook(sync)} />}
        {health && <StateTag look={healthLook(health)} />}
      </span>
    ),
  },
  { label: "Namespace", cell: ({ namespace }: FoundResource) => namespace || "–" },
  {
    label: "Application",
    cell: ({ application }: FoundResource) => (
      <Anchor href={paths.application(application)}>{application.name}</Anchor>
    ),
  },
  { label: "Owned by", cell: ({ owner }: FoundResource) => owner ?? "–" },
  {
    label: "Image",
    cell: ({ images = [] }: FoundResource) => images.map((image) => <div key={image}>{image}</div>),
  },
];

const healths = ["Degraded", "Missing", "Progressing", "Suspended", "Unknown", "Healthy"];
const syncs = ["OutOfSync", "Unknown", "Synced"];

function Filters({
  search,
  items,
}: {
  search: Readonly<Record<string, string>>;
  items: readonly FoundResource[];
}) {
  const toggle = (name: string, value: string) => {
    const chosen = listOf(search[name]);
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    changeSearch({ [name]: next.join(",") });
  };
  const menu = (label: string, name: "kind" | "health" | "sync", values: readonly FacetValue[]) => (
    <FilterMenu
      label={label}
      values={() => values}
      chosen={listOf(search[name])}
      onToggle={(value) => toggle(name, value)}
    />
  );
  return (
    <div className="filter-line resource-filters">
      <SearchText name="q" label="Name of an object" value={search.q} />
      <SearchText name="image" label="Image, or a part of it" value={search.image} />
      {menu(
        "Kind",
        "kind",
        countedBy(items, ({ kind }) => kind),
      )}
      {menu(
        "State",
        "health",
        countedBy(items, ({ health }) => health, healths),
      )}
      {menu(
        "Sync",
        "sync",
        countedBy(items, ({ sync }) => sync, syncs),
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={search.orphaned === "yes"}
          onChange={(event) => changeSearch({ orphaned: event.target.checked ? "yes" : undefined })}
        />
        <span>Orphaned only</span>
      </label>
    </div>
  );
}

/** Values that there are among the objects shown, and those that there always are. */
function countedBy(
  items: readonly FoundResource[],
  of: (one: FoundResource) => string | undefined,
  always: readonly string[] = [],
): FacetValue[] {
  const counts = new Map(always.map((value) => [value, 0]));
  for (const one of items) {
    const value = of(one);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const found = [...counts].map(([value, count]) => ({ value, count }));
  return always.length > 0 ? found : found.sort((one, other) => (one.value < other.value ? -1 : 1));
}

function SearchText({ name, label, value = "" }: { name: string; label: string; value: string | undefined }) {
  return (
    <label className="search-field">
      <Icon name="search" size={14} />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={value}
        onChange={(event) => changeSearch({ [name]: event.target.value })}
      />
    </label>
  );
}
