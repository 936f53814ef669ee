import type { SyncPlanPreview, SyncPlanStep } from "@capstan/wire";
import { Glyph } from "../../primitives/glyph.tsx";
import type { StateLook } from "../../primitives/states.ts";
import { resourceKey, resourceTitle } from "../../resource-id.ts";
import { diffTexts } from "../code/diff-texts.ts";
import { Diff } from "../code/lazy-code.tsx";
import { Unpredicted } from "../code/unpredicted.tsx";
import { StepRow } from "./step-row.tsx";

const acts: Record<SyncPlanStep["act"], StateLook> = {
  create: { glyph: "ring", word: "create", tone: "good" },
  update: { glyph: "unequal", word: "change", tone: "warn" },
  replace: { glyph: "turn", word: "replace", tone: "bad" },
  delete: { glyph: "bin", word: "delete", tone: "bad" },
  hook: { glyph: "half", word: "run hook", tone: "busy" },
  unchanged: { glyph: "check", word: "unchanged", tone: "void" },
  keep: { glyph: "pause", word: "keep", tone: "held" },
};

interface Wave {
  readonly title: string;
  readonly steps: readonly SyncPlanStep[];
}

/** Steps in the order of the plan, under a heading per phase and wave. */
export function wavesOf(steps: readonly SyncPlanStep[]): Wave[] {
  const several = new Set(steps.map(({ phase, wave }) => `${phase} ${wave}`)).size > 1;
  const groups = Map.groupBy(steps, ({ phase, wave }) => `${phase}${wave === 0 ? "" : `, wave ${wave}`}`);
  return [...groups].map(([title, grouped]) => ({ title: several ? title : "", steps: grouped }));
}

export function PlanView({ plan }: { plan: SyncPlanPreview }) {
  const changing = plan.steps.filter(({ act }) => act !== "unchanged");
  const unchanged = plan.steps.length - changing.length;
  return (
    <div className="plan">
      <PlanCounts plan={plan} />
      {[
        ...plan.blockedBy.map((text) => ({ text, bad: true })),
        ...plan.warnings.map((text) => ({ text, bad: false })),
      ].map(({ text, bad }) => (
        <p key={text} className={bad ? "plan-note bad" : "plan-note"} role={bad ? "alert" : undefined}>
          <Glyph name={bad ? "cross" : "unequal"} tone={bad ? "bad" : "warn"} />
          <span>{text}</span>
        </p>
      ))}
      {changing.length === 0 && <p>Nothing would change: the cluster is as git says.</p>}
      {wavesOf(changing).map(({ title, steps }) => (
        <section key={title} className="plan-wave">
          {title && <h3>{title}</h3>}
          <ol>
            {steps.map((step) => (
              <Step key={`${step.phase}${step.act}${resourceKey(step)}`} step={step} />
            ))}
          </ol>
        </section>
      ))}
      {unchanged > 0 && (
        <p className="dim plan-rest">
          {unchanged === 1 ? "1 object stays as it is." : `${unchanged} objects stay as they are.`}
        </p>
      )}
    </div>
  );
}

function PlanCounts({ plan }: { plan: SyncPlanPreview }) {
  const shown = [
    { act: "create", count: plan.counts.create },
    { act: "update", count: plan.counts.update },
    { act: "delete", count: plan.counts.delete },
    { act: "hook", count: plan.counts.hook },
  ] as const;
  return (
    <p className="plan-counts">
      {shown.map(({ act, count }) => (
        <span key={act} className={count === 0 ? "dim" : `tone-${acts[act].tone}`}>
          <Glyph name={acts[act].glyph} tone={count === 0 ? "void" : acts[act].tone} /> <b>{count}</b>{" "}
          {acts[act].word}
        </span>
      ))}
    </p>
  );
}

function Step({ step }: { step: SyncPlanStep }) {
  const { before, after } = diffTexts(step, false);
  const deleted = step.act === "delete";
  const because = (
    <>
      {step.because && <span className="step-because dim">{step.because}</span>}
      {step.fields && step.fields.length > 0 && (
        <span className="step-because dim">
          {step.fields.length === 1 ? step.fields[0]?.path : `${step.fields.length} fields`}
        </span>
      )}
    </>
  );
  return (
    <StepRow look={acts[step.act]} object={step} because={because} className={`step act-${step.act}`}>
      {(deleted || after !== "") && (
        <>
          <Unpredicted because={step.unpredicted} />
          <Diff before={before} after={deleted ? "" : after} label={resourceTitle(step)} sideBySide={false} />
        </>
      )}
    </StepRow>
  );
}
