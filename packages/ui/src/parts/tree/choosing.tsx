import type { Application } from "@capstan/model";
import { Button } from "../../primitives/button.tsx";
import { useCan } from "../../queries/rights.ts";
import { changeSearch } from "../../url-state.ts";
import { objectCount } from "../application-facts.ts";
import { rightOn } from "../application-rights.ts";
import { flatten, type TreeItem, type TreeRoot } from "./tree-items.ts";

/** More do not fit into an address. */
const atMost = 100;

/** Whether it can be synced by itself. */
export const canBeChosen = ({ sync, isHook, isOrphan }: TreeItem): boolean =>
  sync !== undefined && !isHook && !isOrphan;

const openSync = (keys: readonly string[]) =>
  changeSearch({ dialog: "sync", objects: keys.join(",") }, { push: true });

/** What a filter has found is what somebody wants to do something about. */
export function SyncFound({ app, found }: { app: Application; found: TreeRoot }) {
  const maySync = useCan(rightOn(app, "sync"));
  const keys = flatten(found.items)
    .filter(canBeChosen)
    .map(({ key }) => key);
  if (!maySync || keys.length === 0 || keys.length > atMost) return null;
  return (
    <Button icon="sync" onClick={() => openSync(keys)}>
      Sync {objectCount(keys.length)}…
    </Button>
  );
}

interface Props {
  app: Application;
  /** Keys; undefined: nothing is being chosen. */
  chosen: ReadonlySet<string> | undefined;
  onChange(chosen: ReadonlySet<string> | undefined): void;
}

/** Objects are picked one by one in the picture or the list, and then synced together. */
export function Choosing({ app, chosen, onChange }: Props) {
  const maySync = useCan(rightOn(app, "sync"));
  if (!maySync) return null;
  if (chosen === undefined)
    return (
      <Button title="Pick objects and sync them alone" onClick={() => onChange(new Set())}>
        Choose objects
      </Button>
    );
  return (
    <>
      <span role="status">
        {chosen.size === 0 ? "Pick what is to be synced" : `${objectCount(chosen.size)} chosen`}
      </span>
      {chosen.size > 0 && chosen.size <= atMost && (
        <Button look="primary" icon="sync" onClick={() => openSync([...chosen])}>
          Sync {objectCount(chosen.size)}…
        </Button>
      )}
      {chosen.size > atMost && <span>At most {atMost} at a time.</span>}
      <Button look="quiet" icon="close" onClick={() => onChange(undefined)}>
        Choose no more
      </Button>
    </>
  );
}
