import type { Application } from "@capstan/model";
import { useMemo } from "react";
import { Button } from "../../primitives/button.tsx";
import { useCan } from "../../queries/rights.ts";
import { changeSearch } from "../../url-state.ts";
import { objectCount } from "../application-facts.ts";
import { rightOn } from "../application-rights.ts";
import { flatten, type TreeRoot } from "./tree-items.ts";

/** More do not fit into an address. */
const atMost = 100;

/** What a filter has found is what somebody wants to do something about. */
export function SyncFound({ app, found }: { app: Application; found: TreeRoot }) {
  const maySync = useCan(rightOn(app, "sync"));
  const keys = useMemo(
    () =>
      flatten(found.items)
        .filter(({ sync, isHook, isOrphan }) => sync !== undefined && !isHook && !isOrphan)
        .map(({ key }) => key),
    [found],
  );
  if (!maySync || keys.length === 0 || keys.length > atMost) return null;
  return (
    <Button
      icon="sync"
      onClick={() => changeSearch({ dialog: "sync", objects: keys.join(",") }, { push: true })}
    >
      Sync {objectCount(keys.length)}…
    </Button>
  );
}
