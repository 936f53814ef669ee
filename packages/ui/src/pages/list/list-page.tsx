import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useMayCreate } from "../../parts/forms/create-right.ts";
import { useIsOld } from "../../parts/frame/connection-mark.tsx";
import { useKeys } from "../../parts/keys.ts";
import { leftList } from "../../parts/list-memory.ts";
import { paths, searchText } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Icon } from "../../primitives/icon.tsx";
import { lazyPart } from "../../primitives/lazy-part.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { type ApplicationMap, useListIsWhole, useLiveApplications } from "../../queries/applications.ts";
import { useConnection } from "../../queries/connection.ts";
import { changeSearch, goTo, useSearch } from "../../url-state.ts";
import { CountBand } from "./count-band.tsx";
import { NoApplications, NothingMatches } from "./empty-list.tsx";
import { useFavourites } from "./favourites.ts";
import { FilterLine } from "./filter-line.tsx";
import { appsInOrder, type ListContent, listCounter } from "./list-rows.ts";
import { type ListView, readListView, writeListView } from "./list-view.ts";
import { rowFacts } from "./row-facts.ts";
import { Table } from "./table.tsx";
import { type KeptScroll, useKeptScroll } from "./use-kept-scroll.ts";
import { type Selection, useSelection } from "./use-selection.ts";

const Tiles = lazyPart("The tiles", async () => ({ default: (await import("./tiles.tsx")).Tiles }));
const BulkBar = lazyPart(
  "What is done with the selection",
  async () => ({ default: (await import("./bulk-bar.tsx")).BulkBar }),
  { rows: 0 },
);

const noRows: ApplicationMap = new Map();

export function ListPage() {
  const map = useLiveApplications();
  const search = useSearch();
  const old = useIsOld();
  const view = useMemo(() => readListView(search), [search]);
  const [count] = useState(listCounter);
  const deferred = useDeferredValue(view);
  const favourites = useFavourites();
  const now = useMinute();
  const content = useMemo(
    () => count(map ?? noRows, deferred, { now, favourites }),
    [count, map, deferred, now, favourites],
  );
  const change = (next: ListView) => changeSearch(writeListView(next));
  const selection = useSelection(content);
  const searchField = useRef<HTMLInputElement>(null);
  const place = searchText(search);
  const [cursor, setCursor] = useState(() => leftList(place)?.cursor);
  const apps = useMemo(() => appsInOrder(content), [content]);
  const at = cursor === undefined ? -1 : apps.findIndex(({ key }) => key === cursor);
  const move = (step: number) => setCursor(apps[Math.min(Math.max(at + step, 0), apps.length - 1)]?.key);
  const current = apps[at];
  const scroll = useKeptScroll(place, cursor);
  const mayCreate = useMayCreate();
  useKeys([
    { keys: "/", does: "Search the list", act: () => searchField.current?.focus() },
    { keys: "j", does: "Next application", act: () => move(1) },
    { keys: "k", does: "Previous application", act: () => move(-1) },
    { keys: "Enter", does: "Open the application", act: () => current && goTo(paths.application(current)) },
    { keys: "x", does: "Select the application", act: () => current && selection.toggle(current.key) },
    { keys: "Escape", does: "Clear the selection", act: () => selection.clear() },
    ...(mayCreate
      ? [{ keys: "c", does: "Create an application", act: () => goTo(paths.newApplication()) }]
      : []),
  ]);
  return (
    <div className={old ? "list-page old" : "list-page"}>
      <header className="list-head">
        <h1>{view.title || "Applications"}</h1>
        {mayCreate && (
          <Anchor href={paths.newApplication()} className="button primary">
            <Icon name="plus" />
            <span>New application</span>
          </Anchor>
        )}
      </header>
      <CountBand content={content} view={view} />
      <FilterLine content={content} view={view} onChange={change} searchField={searchField} />
      {map === undefined ? (
        <Waiting />
      ) : (
        <Rows
          {...{ content, view, selection, favourites, scroll, onChange: change }}
          current={current?.key}
        />
      )}
      {selection.keys.size > 0 && (
        <BulkBar selection={selection} apps={[...(map?.values() ?? [])].map(rowFacts)} />
      )}
    </div>
  );
}

function Waiting() {
  const { problem } = useConnection();
  return problem ? (
    <p className="list-note" role="alert">
      The applications cannot be read: {problem} Trying again.
    </p>
  ) : (
    <SkeletonRows rows={12} height={40} />
  );
}

interface RowsProps {
  content: ListContent;
  view: ListView;
  selection: Selection;
  favourites: ReadonlySet<string>;
  scroll: KeptScroll;
  current: string | undefined;
  onChange(view: ListView): void;
}

function Rows(props: RowsProps) {
  const { content, view, scroll, current, onChange } = props;
  const isWhole = useListIsWhole();
  if (content.shown === 0 && !isWhole) return <Waiting />;
  if (content.all === 0) return <NoApplications />;
  if (content.shown === 0) return <NothingMatches view={view} onChange={onChange} />;
  return view.layout === "tiles" ? (
    <Tiles content={content} current={current} scroll={scroll} />
  ) : (
    <Table {...props} />
  );
}

const minuteMs = 60_000;

/** For what was changed in the last hour: the list is not counted anew at each tick of the clock. */
function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
