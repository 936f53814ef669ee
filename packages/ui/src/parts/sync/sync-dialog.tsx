import type { Application } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { syncApplication } from "../../queries/actions.ts";
import { comparisonOf, useSyncPlan } from "../../queries/details.ts";
import { shortRevision, sourcesOf } from "../application-facts.ts";
import { report } from "../notices.tsx";
import { PlanView } from "./plan-view.tsx";
import { firstChoices, type SyncChoices, syncRequest, syncVerb } from "./sync-choices.ts";

interface Props {
  app: Application;
  appRef: AppRef;
  onClose(): void;
}

export function SyncDialog({ app, appRef, onClose }: Props) {
  const [choices, setChoices] = useState(() => firstChoices(app));
  const [busy, setBusy] = useState(false);
  const request = syncRequest(app, choices);
  const {
    data: plan,
    error,
    isFetching,
    isPlaceholderData: isOfEarlierChoices,
  } = useSyncPlan(appRef, { ...request, dryRun: false }, comparisonOf(app));
  const verb = syncVerb(choices, isOfEarlierChoices ? undefined : plan);
  const sync = async () => {
    setBusy(true);
    const done = await report(
      { done: `Sync of ${appRef.name} started`, failed: `Could not sync ${appRef.name}` },
      () => syncApplication(appRef, request),
    );
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog
      wide
      title={
        <>
          Sync {appRef.name}{" "}
          {plan && (
            <span className="dim">to {plan.revision ? shortRevision(plan.revision) : targetOf(app)}</span>
          )}
        </>
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={verb.danger ? "danger" : "primary"}
            busy={busy}
            disabled={plan !== undefined && plan.blockedBy.length > 0}
            onClick={sync}
          >
            {verb.text}
          </Button>
        </>
      }
    >
      <div className="sync-columns">
        <section
          className={isFetching ? "sync-plan fetching" : "sync-plan"}
          aria-label="Plan"
          aria-busy={isFetching}
        >
          {error && <Problem title={`The plan for ${appRef.name} cannot be made`} failure={error} />}
          {plan ? <PlanView plan={plan} /> : !error && <SkeletonRows rows={6} />}
        </section>
        <SyncOptions app={app} choices={choices} onChange={setChoices} />
      </div>
    </Dialog>
  );
}

function targetOf(app: Application): string {
  return sourcesOf(app)[0]?.targetRevision || "HEAD";
}

interface OptionsProps {
  app: Application;
  choices: SyncChoices;
  onChange(choices: SyncChoices): void;
}

const options: readonly { name: BooleanChoice; label: string; hint: string }[] = [
  { name: "prune", label: "Prune", hint: "Delete objects that are no longer in git" },
  { name: "dryRun", label: "Dry run", hint: "Ask the cluster, change nothing" },
  { name: "onlyOutOfSync", label: "Only what differs", hint: "Leave objects alone that are as git says" },
  { name: "serverSide", label: "Server-side apply", hint: "The API server merges fields by their owner" },
  { name: "skipHooks", label: "Skip hooks", hint: "Apply only, run no PreSync or PostSync" },
  { name: "replace", label: "Replace", hint: "Put whole objects instead of merging; can restart them" },
  { name: "force", label: "Force", hint: "Delete and create where a change is refused" },
  { name: "retry", label: "Retry", hint: "Up to 5 times, 5 s to 3 min apart" },
];

type BooleanChoice = Exclude<keyof SyncChoices, "revision">;

function SyncOptions({ app, choices, onChange }: OptionsProps) {
  const [revision, setRevision] = useState(choices.revision);
  return (
    <fieldset className="sync-options">
      <legend>Options</legend>
      <label className="field">
        <span>Revision</span>
        <input
          value={revision}
          placeholder={targetOf(app)}
          onChange={(event) => setRevision(event.target.value)}
          onBlur={() => onChange({ ...choices, revision })}
          onKeyDown={(event) => event.key === "Enter" && onChange({ ...choices, revision })}
        />
      </label>
      {options.map(({ name, label, hint }) => (
        <label key={name} className="check with-hint">
          <input
            type="checkbox"
            checked={choices[name]}
            onChange={(event) => onChange({ ...choices, [name]: event.target.checked })}
          />
          <span>
            {label}
            <span className="hint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
