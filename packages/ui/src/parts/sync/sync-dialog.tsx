import type { Application } from "@capstan/model";
import { useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { syncApplication } from "../../queries/actions.ts";
import { comparisonOf } from "../../queries/details.ts";
import { shortRevision, sourcesOf } from "../application-facts.ts";
import { rightOn } from "../application-rights.ts";
import { RefusedTo, Rightful } from "../forms/rightful.tsx";
import { report } from "../notices.tsx";
import { ObjectChoice } from "./object-choice.tsx";
import { PlanView } from "./plan-view.tsx";
import { askedOptions, firstChoices, type SyncChoices, syncRequest, syncVerb } from "./sync-choices.ts";
import { usePlan } from "./use-plan.ts";

interface Props {
  app: Application;
  appRef: AppRef;
  /** Keys of the only objects to begin with; empty: all. */
  objects: readonly string[];
  onClose(): void;
}

export function SyncDialog({ app, appRef, objects, onClose }: Props) {
  const [choices, setChoices] = useState(() => ({ ...firstChoices(app), objects }));
  const [busy, setBusy] = useState(false);
  const request = syncRequest(app, choices);
  const planned = usePlan(appRef, { ...request, dryRun: false }, comparisonOf(app));
  const { shown: plan, error, isFetching } = planned;
  const verb = syncVerb(choices, planned.state);
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
          <Rightful right={rightOn(app, "sync")} otherwise={<RefusedTo verb="sync it" />}>
            <Button
              look={verb.danger ? "danger" : "primary"}
              busy={busy}
              disabled={!planned.mayStart}
              onClick={sync}
            >
              {verb.text}
            </Button>
          </Rightful>
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

interface Question {
  name: string;
  label: string;
  hint: string;
  chosen(choices: SyncChoices): boolean;
  choose(choices: SyncChoices, chosen: boolean): SyncChoices;
}

type Switch = Exclude<keyof SyncChoices, "revision" | "options" | "objects">;

const ask = (name: Switch, label: string, hint: string): Question => ({
  name,
  label,
  hint,
  chosen: (choices) => choices[name],
  choose: (choices, chosen) => ({ ...choices, [name]: chosen }),
});

const questions: readonly Question[] = [
  ask("prune", "Prune", "Deletes objects that are no longer in git"),
  ask("dryRun", "Dry run", "Asks the cluster, changes nothing"),
  ask("skipHooks", "Skip hooks", "Applies only, runs no PreSync or PostSync"),
  ...askedOptions.map(
    ([name, { label = name, sentence }]): Question => ({
      name,
      label,
      hint: sentence.replace(/^./, (first) => first.toUpperCase()),
      chosen: ({ options }) => options.get(name) ?? false,
      choose: (choices, chosen) => ({ ...choices, options: new Map(choices.options).set(name, chosen) }),
    }),
  ),
  ask("force", "Force", "Deletes and creates where a change is refused"),
  ask("retry", "Retry", "Up to 5 times, 5 s to 3 min apart"),
];

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
      <ObjectChoice
        app={app}
        chosen={choices.objects}
        onChange={(objects) => onChange({ ...choices, objects })}
      />
      {questions.map(({ name, label, hint, chosen, choose }) => (
        <label key={name} className="check with-hint">
          <input
            type="checkbox"
            checked={chosen(choices)}
            onChange={(event) => onChange(choose(choices, event.target.checked))}
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
