import { type FormEvent, useState } from "react";
import { paths, readSearch, searchText } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { Unfolding } from "../../primitives/unfolding.tsx";
import { type ListView, writeListView } from "./list-view.ts";

/** A view is its address: whoever gets the link sees the same, under the same name. */
interface SavedView {
  readonly title: string;
  readonly search: string;
}

const storageKey = "capstan.views";
const mostKept = 50;

function readViews(): SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((view) =>
      typeof view?.title === "string" && typeof view.search === "string" ? [view] : [],
    );
  } catch {
    // Nothing kept, or nothing that can be read: there are none.
    return [];
  }
}

function keepViews(views: readonly SavedView[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(views.slice(-mostKept)));
  } catch {
    // The browser keeps nothing: the link still is the view.
  }
}

export function SavedViews({ view, onChange }: { view: ListView; onChange(view: ListView): void }) {
  const [views, setViews] = useState(readViews);
  const keep = (next: SavedView[]) => {
    setViews(next);
    keepViews(next);
  };
  const save = (event: FormEvent<HTMLFormElement>, close: () => void) => {
    event.preventDefault();
    const title = String(new FormData(event.currentTarget).get("title") ?? "").trim();
    if (title === "") return;
    const named = { ...view, title };
    keep([
      ...views.filter((other) => other.title !== title),
      { title, search: searchText(writeListView(named)) },
    ]);
    onChange(named);
    close();
  };
  return (
    <Unfolding label="Views">
      {(id, close) => (
        <div className="menu-list saved-views" id={id}>
          {views.map((saved) => (
            <span key={saved.title} className="saved-view">
              <Anchor href={paths.applications(readSearch(saved.search))} onClick={close}>
                {saved.title}
              </Anchor>
              <Button
                look="quiet"
                icon="close"
                aria-label={`Forget the view ${saved.title}`}
                onClick={() => keep(views.filter((other) => other !== saved))}
              />
            </span>
          ))}
          {views.length === 0 && <p className="dim">A view is what is filtered, sorted and grouped now.</p>}
          <form onSubmit={(event) => save(event, close)}>
            <input
              name="title"
              aria-label="Name of this view"
              placeholder="Name of this view"
              maxLength={60}
            />
            <Button type="submit">Save</Button>
          </form>
        </div>
      )}
    </Unfolding>
  );
}
