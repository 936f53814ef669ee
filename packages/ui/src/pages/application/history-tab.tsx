import type { Application, RevisionHistory } from "@capstan/model";
import { shortRevision } from "../../parts/application-facts.ts";
import { OperationResult } from "../../parts/operation-result.tsx";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { tookText } from "../../primitives/durations.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { useRevision } from "../../queries/details.ts";

export function HistoryTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const history = [...(app.status?.history ?? [])].reverse();
  const operation = app.status?.operationState;
  return (
    <div className="history">
      {operation && <OperationResult operation={operation} />}
      <h2>Deployed before</h2>
      {history.length === 0 && (
        <p className="dim">Nothing has been deployed yet; each successful sync adds a line.</p>
      )}
      <ol className="deployments">
        {history.map((entry, index) => (
          <Deployment key={entry.id} entry={entry} appRef={appRef} current={index === 0} />
        ))}
      </ol>
    </div>
  );
}

function Deployment({
  entry,
  appRef,
  current,
}: {
  entry: RevisionHistory;
  appRef: AppRef;
  current: boolean;
}) {
  const revision = entry.revision ?? entry.revisions?.[0] ?? "";
  const source = entry.source ?? entry.sources?.[0];
  const { data } = useRevision(appRef, { repository: source?.repoURL, revision, ofApp: true });
  const by = entry.initiatedBy?.automated ? "automatic sync" : entry.initiatedBy?.username;
  const duration = tookText(entry.deployStartedAt, entry.deployedAt);
  return (
    <li className="deployment">
      <code className="deployment-revision">{shortRevision(revision)}</code>
      <div className="deployment-text">
        <p className="deployment-message" title={data?.message}>
          {data?.message?.split("\n", 1)[0] ?? source?.path ?? ""}
        </p>
        <p className="dim">
          {data?.author && `${data.author.replace(/ <.*/, "")} · `}
          <TimeAgo at={entry.deployedAt} />
          {duration && ` · ${duration}`}
          {by && ` · by ${by}`}
          {data?.signatureInfo && ` · ${data.signatureInfo}`}
        </p>
      </div>
      {current ? (
        <span className="chip">Current</span>
      ) : (
        <Anchor href={paths.rollbackDialog(appRef, entry.id)} className="button">
          Roll back…
        </Anchor>
      )}
    </li>
  );
}
