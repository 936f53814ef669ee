import type { Application } from "@capstan/model";
import { rightOn } from "../../parts/application-rights.ts";
import { type KeyAction, useKeys } from "../../parts/keys.ts";
import { listHref } from "../../parts/list-memory.ts";
import { report } from "../../parts/notices.tsx";
import type { AppRef } from "../../paths.ts";
import { refreshApplication } from "../../queries/actions.ts";
import { useRights, whenAllowed } from "../../queries/rights.ts";
import { changeSearch, goTo, useSearch } from "../../url-state.ts";

export function refresh(app: AppRef, kind: "normal" | "hard"): Promise<boolean> {
  return report({ done: `Refreshed ${app.name}`, failed: `Could not refresh ${app.name}` }, () =>
    refreshApplication(app, kind),
  );
}

/** Without an application to act on only the way back is left. */
export function useApplicationKeys(app: AppRef, shown: Application | undefined): void {
  const search = useSearch();
  const [maySync, mayDelete] = useRights(
    shown ? ["sync", "delete"].map((action) => rightOn(shown, action)) : [],
  );
  const toTab = (tab: string | undefined) => changeSearch({ tab, resource: undefined }, { push: true });
  const acts: KeyAction[] = [
    { keys: "r", does: "Refresh", act: () => void refresh(app, "normal") },
    { keys: "R", does: "Hard refresh", act: () => void refresh(app, "hard") },
    { keys: "d", does: "Diff", act: () => toTab("diff") },
    { keys: "t", does: "Tree", act: () => toTab(undefined) },
    { keys: "e", does: "Events", act: () => toTab("events") },
    { keys: "h", does: "History", act: () => toTab("history") },
    { keys: "l", does: "Logs", act: () => toTab("logs") },
  ];
  // Pressed before it is known whether one may, a key waits for the answer: it is not lost.
  const opens = (keys: string, does: string, dialog: "sync" | "delete"): KeyAction => {
    const open = () => changeSearch({ dialog }, { push: true });
    return { keys, does, act: () => void (shown && whenAllowed([rightOn(shown, dialog)], open)) };
  };
  if (maySync !== false) acts.unshift(opens("s", "Sync…", "sync"));
  if (mayDelete !== false) acts.push(opens("g d", "Delete…", "delete"));
  useKeys([
    ...(shown ? acts : []),
    {
      keys: "Escape",
      does: "Close, or back to the list",
      act: () => {
        if (search.resource) changeSearch({ resource: undefined, view: undefined, container: undefined });
        else if (search.extension) changeSearch({ extension: undefined });
        else goTo(listHref());
      },
    },
  ]);
}
