import type { Application } from "@capstan/model";
import { useEffect, useRef, useState } from "react";

/** Not more often than this, however fast states change. */
const quietMs = 3000;

/** Tells changes of state to those who listen to the page. */
export function Announcer({ app }: { app: Application }) {
  const { sync, health, operationState } = app.status ?? {};
  const phase = operationState?.phase === "Running" ? ", syncing" : "";
  const state = `${app.metadata.name}: ${sync?.status ?? "Unknown"}, ${health?.status ?? "Unknown"}${phase}`;
  const [said, setSaid] = useState("");
  const first = useRef(state);
  useEffect(() => {
    if (first.current === state) return;
    first.current = "";
    const timer = setTimeout(() => setSaid(state), quietMs);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  );
}
