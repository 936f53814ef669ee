import { useState } from "react";
import type { ListContent } from "./list-rows.ts";

export interface Selection {
  readonly keys: ReadonlySet<string>;
  toggle(key: string): void;
  /** Everything up to `key` from the last one touched. */
  extend(key: string): void;
  setAll(selected: boolean): void;
  clear(): void;
}

export function useSelection(content: ListContent): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const shown = () => content.rows.flatMap((row) => (row.kind === "app" ? [row.app.key] : []));
  const toggle = (key: string) => {
    const next = new Set(keys);
    if (!next.delete(key)) next.add(key);
    setKeys(next);
    setLast(key);
  };
  return {
    keys,
    toggle,
    extend(key) {
      const order = shown();
      const from = last === undefined ? -1 : order.indexOf(last);
      const to = order.indexOf(key);
      if (from < 0 || to < 0) return toggle(key);
      setKeys(new Set([...keys, ...order.slice(Math.min(from, to), Math.max(from, to) + 1)]));
    },
    setAll: (selected) => setKeys(selected ? new Set(shown()) : new Set()),
    clear: () => setKeys(new Set()),
  };
}
