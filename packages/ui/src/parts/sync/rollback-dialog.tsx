import type { Application, RevisionHistory } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { rollbackApplication, turnOffAutoSync } from "../../queries/actions.ts";
import { comparisonOf, useRevision } from "../../queries/details.ts";
import { deployedSources, shortRevision, sourcesOf } from "../application-facts.ts";
import { rightOn } from "../application-rights.ts";
import { RefusedTo, Rightful } from "../forms/rightful.tsx";
import { report } from "../notices.tsx";
import { PlanView } from "./plan-view.tsx";
import { SourceChanges } from "./source-changes.tsx";
import { rollbackVerb } from "./sync-choices.ts";
import { usePlan } from "./use-plan.ts";

interface Props {
  app: Application;
  appRef: AppRef;
  entry: RevisionHistory;
  onClose(): void;
}

export function RollbackDialog({ app, appRef, entry, onClose }: Props) {
  const [prune, setPrune] = useState(false);
  const revision = entry.revision ?? entry.revisions?.[0] ?? "";
  const automated =
    app.spec.syncPolicy?.automated !== undefined && app.spec.syncPolicy.automated.enabled !== false;
  const planned = usePlan(appRef, { historyId: entry.id, prune }, comparisonOf(app));
  const { shown: plan, error } = planned;
  const { data: commit } = useRevision(appRef, { repository: entry.source?.repoURL, revision });
  const verb = rollbackVerb(prune, planned.state);
  const rollback = async () => {
    const done = await report(
      {
        done: `${appRef.name} goes back to ${shortRevision(revision)}`,
        failed: `Could not roll back ${appRef.name}`,
      },
      () => rollbackApplication(appRef, entry.id, prune),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      wide
      title={`Roll ${appRef.name} back to ${shortRevision(revision)}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Rightful right={rightOn(app, "rollback")} otherwise={<RefusedTo verb="roll back it" />}>
            <Button
              look={verb.danger ? "danger" : "primary"}
              disabled={automated || !planned.mayStart}
              onClick={rollback}
            >
              {verb.text}
            </Button>
          </Rightful>
        </>
      }
    >
      <p>
        Deployed <TimeAgo at={entry.deployedAt} />
        {commit && `: ${commit.message?.split("\n", 1)[0]} (${commit.author?.replace(/ <.*/, "")})`}
      </p>
      {automated && <AutoSyncNotice app={app} appRef={appRef} />}
      <SourceChanges before={sourcesOf(app)} after={deployedSources(entry)} />
      <label className="check">
        <input type="checkbox" checked={prune} onChange={(event) => setPrune(event.target.checked)} />
        <span>Prune: delete objects that this revision does not have</span>
      </label>
      {error && <Problem title="What the rollback would do cannot be told" failure={error} />}
      {plan ? <PlanView plan={plan} /> : !error && <SkeletonRows rows={5} />}
    </Dialog>
  );
}

function AutoSyncNotice({ app, appRef }: Pick<Props, "app" | "appRef">) {
  return (
    <div className="plan-note">
      <span>
        Automatic sync is on and would undo the rollback at once. It has to be turned off first; git stays as
        it is.
      </span>
      <Rightful right={rightOn(app, "update")}>
        <Button
          onClick={() =>
            report(
              {
                done: "Automatic sync is off",
                failed: `Could not turn off automatic sync of ${appRef.name}`,
              },
              () => turnOffAutoSync(appRef),
            )
          }
        >
          Turn off automatic sync
        </Button>
      </Rightful>
    </div>
  );
}
