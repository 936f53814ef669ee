import type { Application } from "@capstan/model";
import { objectCount, shortRevision } from "../../parts/application-facts.ts";
import { rightOn } from "../../parts/application-rights.ts";
import { OperationResult } from "../../parts/operation-result.tsx";
import { commitLink } from "../../parts/provider-links.ts";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { tookText } from "../../primitives/durations.ts";
import { Glyph } from "../../primitives/glyph.tsx";
import { phaseLook } from "../../primitives/states.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { comparisonOf, useRevision } from "../../queries/details.ts";
import { useOperations } from "../../queries/operations.ts";
import { useCan } from "../../queries/rights.ts";
import { changeSearch, useSearch } from "../../url-state.ts";
import { EntriesCompared } from "./entries-compared.tsx";
import { type HistoryEntry, historyEntries } from "./history-entries.ts";
import { OperationChanges } from "./operation-changes.tsx";

export function HistoryTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const records = useOperations(appRef, comparisonOf(app)).data?.items ?? [];
  const entries = historyEntries(app, records);
  const mayRollBack = useCan(rightOn(app, "rollback"));
  const search = useSearch();
  const operation = app.status?.operationState;
  const chosen = (search.compare ?? "")
    .split(",")
    .flatMap((key) => entries.find((entry) => entry.key === key) ?? []);
  return (
    <div className="history">
      {operation && <OperationResult operation={operation} />}
      <h2>Operations</h2>
      {entries.length === 0 && <p className="dim">Nothing has been deployed yet; each sync adds a line.</p>}
      <EntriesCompared chosen={chosen} />
      {entries.length > 0 && (
        <ol className="deployments">
          {entries.map((entry, index) => (
            <Entry
              key={entry.key}
              {...{ entry, appRef, mayRollBack }}
              before={entries.slice(index + 1).find(({ phase }) => phase === "Succeeded")}
              chosen={chosen.map(({ key }) => key)}
            />
          ))}
        </ol>
      )}
    </div>
  );
}

interface EntryProps {
  entry: HistoryEntry;
  /** The deployment before it. */
  before: HistoryEntry | undefined;
  appRef: AppRef;
  chosen: readonly string[];
  mayRollBack: boolean;
}

function Entry({ entry, before, appRef, chosen, mayRollBack }: EntryProps) {
  const { key, phase, revision, sources, record, deployment, isCurrent } = entry;
  const search = useSearch();
  const source = sources[0];
  const { data } = useRevision(appRef, { repository: source?.repoURL, revision, ofApp: true });
  const isOpen = search.operation === key;
  const look = phaseLook(phase);
  const isFailed = phase === "Failed" || phase === "Error";
  const choose = () => {
    const rest = chosen.filter((one) => one !== key);
    changeSearch({ compare: (rest.length < chosen.length ? rest : [...chosen, key]).slice(-2).join(",") });
  };
  return (
    <li className={isOpen ? "deployment open" : "deployment"}>
      <div className="deployment-line">
        <Glyph name={look.glyph} tone={look.tone} label={look.word} />
        <Revision repository={source?.repoURL ?? ""} revision={revision} />
        <div className="deployment-text">
          <p className="deployment-message" title={data?.message}>
            {data?.message?.split("\n", 1)[0] ?? source?.path ?? ""}
          </p>
          {isFailed && record && <p className="operation-message">{record.message}</p>}
          <EntryFacts entry={entry} author={data?.author} signature={data?.signatureInfo} />
        </div>
        <label className="check compare-choice">
          <input type="checkbox" checked={chosen.includes(key)} onChange={choose} />
          <span>Compare</span>
        </label>
        {record && (
          <button
            type="button"
            className="button"
            aria-expanded={isOpen}
            onClick={() => changeSearch({ operation: isOpen ? undefined : key })}
          >
            {changesText(entry)}
          </button>
        )}
        {isCurrent ? (
          <span className="chip">Current</span>
        ) : (
          deployment &&
          mayRollBack && (
            <Anchor href={paths.rollbackDialog(appRef, deployment.id)} className="button">
              Roll back…
            </Anchor>
          )
        )}
      </div>
      {isOpen && record && <OperationChanges {...{ record, before, appRef }} />}
    </li>
  );
}

function changesText({ record }: HistoryEntry): string {
  const count = (record?.changes.length ?? 0) + (record?.leftOut ?? 0);
  return count === 0 ? "No changes" : `Changed ${objectCount(count)}`;
}

interface FactsProps {
  entry: HistoryEntry;
  author: string | undefined;
  signature: string | undefined;
}

function EntryFacts({ entry: { startedAt, finishedAt, by, record }, author, signature }: FactsProps) {
  const duration = tookText(startedAt, finishedAt);
  return (
    <p className="dim">
      {author && `${author.replace(/ <.*/, "")} · `}
      <TimeAgo at={finishedAt} />
      {duration && ` · ${duration}`}
      {by && ` · by ${by}`}
      {record?.dryRun && " · dry run"}
      {record && record.attempt > 0 && ` · retry ${record.attempt}`}
      {signature && ` · ${signature}`}
    </p>
  );
}

function Revision({ repository, revision }: { repository: string; revision: string }) {
  const link = commitLink(repository, revision);
  const short = <code className="deployment-revision">{shortRevision(revision)}</code>;
  if (!link) return short;
  return (
    <a href={link} target="_blank" rel="noreferrer" title="The commit at its provider">
      {short}
    </a>
  );
}
