import { useMemo, useRef, useState } from "react";
import { appsInOrder, type ListContent } from "./list-rows.ts";

/** Always the same functions, so that rows need not be drawn again. */
export interface SelectionActs {
  toggle(key: string): void;
  /** Everything up to `key` from the last one touched. */
  extend(key: string): void;
  setAll(selected: boolean): void;
  clear(): void;
}

export interface Selection extends SelectionActs {
  readonly keys: ReadonlySet<string>;
  readonly acts: SelectionActs;
}

export function useSelection(content: ListContent): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef({ content, keys, last: "" });
  latest.current.content = content;
  latest.current.keys = keys;
  const acts = useMemo(() => selectionActs(latest, setKeys), []);
  return { keys, acts, ...acts };
}

interface Latest {
  readonly current: { content: ListContent; keys: ReadonlySet<string>; last: string };
}

function selectionActs(latest: Latest, setKeys: (keys: ReadonlySet<string>) => void): SelectionActs {
  const shown = () => appsInOrder(latest.current.content).map(({ key }) => key);
  const toggle = (key: string) => {
    const next = new Set(latest.current.keys);
    if (!next.delete(key)) next.add(key);
    setKeys(next);
    latest.current.last = key;
  };
  return {
    toggle,
    extend(key) {
      const order = shown();
      const from = order.indexOf(latest.current.last);
      const to = order.indexOf(key);
      if (from < 0 || to < 0) return toggle(key);
      const between = order.slice(Math.min(from, to), Math.max(from, to) + 1);
      setKeys(new Set([...latest.current.keys, ...between]));
    },
    setAll: (selected) => setKeys(selected ? new Set(shown()) : new Set()),
    clear: () => setKeys(new Set()),
  };
}
