import type { PluginDevState } from "@capstan/wire";
import { useEffect, useState } from "react";

export interface DevView {
  readonly state: PluginDevState | undefined;
  /** Renders since the page was opened, the newest first. */
  readonly recent: readonly PluginDevState[];
  /** The command has ended or cannot be reached. */
  readonly isLost: boolean;
}

const mostRecent = 12;

/** What the command tells, as it comes; the browser connects again by itself. */
export function useDevState(): DevView {
  const [recent, setRecent] = useState<readonly PluginDevState[]>([]);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const source = new EventSource("/events");
    source.onopen = () => setLost(false);
    source.onerror = () => setLost(true);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const state: PluginDevState = JSON.parse(data);
      setRecent((all) => [state, ...all.filter(({ at }) => at !== state.at)].slice(0, mostRecent));
    };
    return () => source.close();
  }, []);
  return { state: recent[0], recent, isLost };
}
