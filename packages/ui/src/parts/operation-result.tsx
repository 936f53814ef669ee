import type { OperationState } from "@capstan/model";
import { tookText } from "../primitives/durations.ts";
import { Glyph, StateTag } from "../primitives/glyph.tsx";
import { phaseLook, type StateLook } from "../primitives/states.ts";
import { TimeAgo } from "../primitives/time-ago.tsx";
import { resourceKey } from "../resource-id.ts";
import { objectCount, shortRevision } from "./application-facts.ts";

const resultLooks: Record<string, StateLook> = {
  Synced: { glyph: "check", word: "Synced", tone: "good" },
  Pruned: { glyph: "bin", word: "Deleted", tone: "warn" },
  PruneSkipped: { glyph: "pause", word: "Not deleted", tone: "held" },
  SyncFailed: { glyph: "cross", word: "Failed", tone: "bad" },
};

/** The last sync: when, by whom, and what became of each object. */
export function OperationResult({ operation }: { operation: OperationState }) {
  const { phase, message, startedAt, finishedAt, syncResult } = operation;
  const duration = tookText(startedAt, finishedAt);
  const revision = syncResult?.revision ?? syncResult?.revisions?.[0];
  const { automated, username } = operation.operation.initiatedBy ?? {};
  return (
    <section className="operation">
      <h2>
        Last sync <StateTag look={phaseLook(phase)} />
      </h2>
      <p className="dim">
        {revision && <code>{shortRevision(revision)}</code>} <TimeAgo at={finishedAt ?? startedAt} />
        {duration && ` · ${duration}`}
        {(automated || username) && ` · by ${automated ? "automatic sync" : username}`}
        {operation.retryCount ? ` · ${operation.retryCount} retries` : ""}
      </p>
      {message && <p className="operation-message">{message}</p>}
      {syncResult?.resources && syncResult.resources.length > 0 && (
        <Results resources={syncResult.resources} />
      )}
    </section>
  );
}

function Results({
  resources,
}: {
  resources: NonNullable<NonNullable<OperationState["syncResult"]>["resources"]>;
}) {
  return (
    <details className="results" open={resources.some(({ status }) => status === "SyncFailed")}>
      <summary>{objectCount(resources.length)}</summary>
      <ul>
        {resources.map((result) => {
          const look = resultLooks[result.status ?? ""] ?? phaseLook(result.hookPhase);
          return (
            <li key={`${result.syncPhase}${resourceKey(result)}`}>
              <Glyph name={look.glyph} tone={look.tone} label={look.word} />
              <span>
                {result.kind} {result.name}
                {result.hookType && <span className="chip">{result.hookType}</span>}
              </span>
              <span className="dim result-message">{result.message}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
