import type { OperationChange, OperationRecord } from "@capstan/wire";
import { diffTexts } from "../../parts/code/diff-texts.ts";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { SourceChanges } from "../../parts/sync/source-changes.tsx";
import { StepRow } from "../../parts/sync/step-row.tsx";
import type { AppRef } from "../../paths.ts";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import type { StateLook } from "../../primitives/states.ts";
import { useOperationObject } from "../../queries/operations.ts";
import { resourceKey, resourceTitle } from "../../resource-id.ts";
import type { HistoryEntry } from "./history-entries.ts";

const acts: Record<OperationChange["act"], StateLook> = {
  create: { glyph: "ring", word: "created", tone: "good" },
  change: { glyph: "unequal", word: "changed", tone: "warn" },
  delete: { glyph: "bin", word: "deleted", tone: "bad" },
  hook: { glyph: "half", word: "hook ran", tone: "busy" },
  failed: { glyph: "cross", word: "failed", tone: "bad" },
};

interface Props {
  record: OperationRecord;
  before: HistoryEntry | undefined;
  appRef: AppRef;
}

/** What one operation changed: parameters and images against the deployment before it, and each object. */
export function OperationChanges({ record, before, appRef }: Props) {
  return (
    <div className="operation-changes">
      {before && (
        <SourceChanges before={before.sources} after={record.sources} heads={["Before", "With it"]} />
      )}
      <Images images={record.images} />
      {record.textsHidden && (
        <p className="dim">
          Texts of the objects were not kept: some of them may have come from a stage that reads secrets.
        </p>
      )}
      {record.changes.length === 0 && <p className="dim">No object was changed in the cluster.</p>}
      <ol className="plan">
        {record.changes.map((change) => (
          <Change key={`${change.act}${resourceKey(change)}`} {...{ change, appRef }} id={record.id} />
        ))}
      </ol>
      {record.leftOut > 0 && <p className="dim">{record.leftOut} more objects are not told one by one.</p>}
    </div>
  );
}

function Images({ images: { before, after } }: Pick<OperationRecord, "images">) {
  const gone = before.filter((image) => !after.includes(image));
  const come = after.filter((image) => !before.includes(image));
  if (gone.length + come.length === 0) return null;
  return (
    <dl className="image-changes">
      <dt className="image-changes-title">Images</dt>
      {gone.map((image) => (
        <dd key={`-${image}`} className="image-change tone-bad">
          <code>− {image}</code>
        </dd>
      ))}
      {come.map((image) => (
        <dd key={`+${image}`} className="image-change tone-good">
          <code>+ {image}</code>
        </dd>
      ))}
    </dl>
  );
}

function Change({ change, id, appRef }: { change: OperationChange; id: string; appRef: AppRef }) {
  const hasTexts = change.before !== undefined || change.after !== undefined;
  const because = <span className="step-because dim">{change.message}</span>;
  return (
    <StepRow look={acts[change.act]} object={change} because={because}>
      {hasTexts && <Texts {...{ change, id, appRef }} />}
    </StepRow>
  );
}

function Texts({ change, id, appRef }: { change: OperationChange; id: string; appRef: AppRef }) {
  const { data, error } = useOperationObject(appRef, id, change);
  if (error) return <Problem title={`${resourceTitle(change)} as it was cannot be read`} failure={error} />;
  if (!data) return <SkeletonRows rows={4} height={20} />;
  const states = { liveState: data.before ?? "", targetState: data.after ?? "" };
  const { before, after } = diffTexts(states, false);
  return <Diff before={before} after={after} label={resourceTitle(change)} sideBySide={false} />;
}
