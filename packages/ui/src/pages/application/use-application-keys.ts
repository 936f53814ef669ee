import { type KeyAction, useKeys } from "../../parts/keys.ts";
import { listHref } from "../../parts/list-memory.ts";
import { report } from "../../parts/notices.tsx";
import type { AppRef } from "../../paths.ts";
import { refreshApplication } from "../../queries/actions.ts";
import { changeSearch, goTo, useSearch } from "../../url-state.ts";

export function refresh(app: AppRef, kind: "normal" | "hard"): Promise<boolean> {
  return report({ done: `Refreshed ${app.name}`, failed: `Could not refresh ${app.name}` }, () =>
    refreshApplication(app, kind),
  );
}

/** Without an application to act on only the way back is left. */
export function useApplicationKeys(app: AppRef, isThere: boolean): void {
  const search = useSearch();
  const toTab = (tab: string | undefined) => changeSearch({ tab, resource: undefined }, { push: true });
  const acts: KeyAction[] = [
    { keys: "s", does: "Sync…", act: () => changeSearch({ dialog: "sync" }, { push: true }) },
    { keys: "r", does: "Refresh", act: () => void refresh(app, "normal") },
    { keys: "R", does: "Hard refresh", act: () => void refresh(app, "hard") },
    { keys: "d", does: "Diff", act: () => toTab("diff") },
    { keys: "t", does: "Tree", act: () => toTab(undefined) },
    { keys: "e", does: "Events", act: () => toTab("events") },
    { keys: "h", does: "History", act: () => toTab("history") },
    { keys: "l", does: "Logs", act: () => toTab("logs") },
    { keys: "g d", does: "Delete…", act: () => changeSearch({ dialog: "delete" }, { push: true }) },
  ];
  useKeys([
    ...(isThere ? acts : []),
    {
      keys: "Escape",
      does: "Close, or back to the list",
      act: () => {
        if (search.resource) changeSearch({ resource: undefined, view: undefined, container: undefined });
        else goTo(listHref());
      },
    },
  ]);
}
