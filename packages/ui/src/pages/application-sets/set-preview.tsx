import type { ApplicationSet } from "@capstan/model";
import type { ApplicationSetChange } from "@capstan/wire";
import { useState } from "react";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { objectText, parseObject } from "../../parts/code/object-text.ts";
import type { AppRef } from "../../paths.ts";
import { StateTag } from "../../primitives/glyph.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import type { StateLook } from "../../primitives/states.ts";
import { useSetDiff, useWantedDiff } from "../../queries/application-sets.ts";

const looks: Record<ApplicationSetChange["act"], StateLook> = {
  create: { glyph: "ring", word: "Create", tone: "busy" },
  update: { glyph: "unequal", word: "Update", tone: "warn" },
  delete: { glyph: "bin", word: "Delete", tone: "bad" },
  hold: { glyph: "pause", word: "Delete, held", tone: "held" },
};

/** As many as can be read; the command line shows them all. */
const mostShown = 200;

/** What the controller would do now, by the decision that it makes itself. */
export function SetPreview({ set, age }: { set: AppRef; age: readonly unknown[] }) {
  return (
    <>
      <h2>What it would do</h2>
      <SetChanges query={useSetDiff(set, ...age)} name={set.name} />
    </>
  );
}

/** The same of a set that is not written yet. */
export function WantedPreview({ wanted }: { wanted: ApplicationSet }) {
  return <SetChanges query={useWantedDiff(wanted)} name={wanted.metadata.name} />;
}

function SetChanges({ query, name }: { query: ReturnType<typeof useSetDiff>; name: string }) {
  const { data, error, isPending } = query;
  return (
    <>
      {error && (
        <Problem title="What it would do is not known: nothing is made, changed or deleted" failure={error} />
      )}
      {isPending && <SkeletonRows rows={2} />}
      {data && data.changes.length + data.problems.length === 0 && (
        <p className="dim">Nothing: its applications are as it says.</p>
      )}
      {data?.problems.map(({ name: application, message }) => (
        <Problem
          key={application}
          title={`${application || "An application"} cannot be written`}
          failure={message}
        />
      ))}
      {data && data.changes.length > 0 && (
        <ul className="plan-steps">
          {data.changes.slice(0, mostShown).map((change) => (
            <Change key={`${change.act} ${change.name}`} change={change} />
          ))}
        </ul>
      )}
      {data && data.changes.length > mostShown && (
        <p className="note dim">
          And {data.changes.length - mostShown} more: <code>capstan appset diff {name}</code>
        </p>
      )}
    </>
  );
}

const reading = { noise: false, status: false };

function Change({ change: { act, name, liveState, targetState } }: { change: ApplicationSetChange }) {
  const [isOpen, setIsOpen] = useState(false);
  const isHidden = liveState === undefined && targetState === undefined;
  return (
    <li>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <StateTag look={looks[act]} /> {name}
        </summary>
        {isOpen && isHidden && <p className="note dim">What it holds is not shown to you.</p>}
        {isOpen && !isHidden && (
          <Diff
            before={objectText(parseObject(liveState), reading)}
            after={objectText(parseObject(targetState), reading)}
            label={`Application ${name}`}
            sideBySide={false}
          />
        )}
      </details>
    </li>
  );
}
