import { useEffect, useState } from "react";
import { shortRevision } from "../../parts/application-facts.ts";
import { useRevision } from "../../queries/details.ts";
import { Cell } from "./cell.tsx";
import type { RowFacts } from "./row-facts.ts";

/** Rows that only pass by while scrolling ask for nothing. */
const restMs = 150;

export function useRested(): boolean {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), restMs);
    return () => clearTimeout(timer);
  }, []);
  return rested;
}

export function RevisionCell({ app }: { app: RowFacts }) {
  const rested = useRested();
  const { data } = useRevision(app, { repository: app.repository, revision: app.revision, wanted: rested });
  const subject = data?.message?.split("\n", 1)[0];
  const title = data ? `${app.revision}\n${data.author}\n${data.message}` : app.revision;
  return (
    <Cell of="revision" title={title}>
      {app.revision === "" ? (
        <span className="dim">{app.target}</span>
      ) : (
        <code>{shortRevision(app.revision)}</code>
      )}
      {app.sources > 1 && <span className="chip">+{app.sources - 1}</span>}
      {subject && <span className="subject dim">{subject}</span>}
    </Cell>
  );
}
