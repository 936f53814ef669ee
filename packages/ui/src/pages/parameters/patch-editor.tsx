import type { KustomizePatch } from "@capstan/model";
import { AddRow, RemoveRow } from "../../parts/forms/row-editors.tsx";

const targetFields = [
  ["kind", "Kind"],
  ["name", "Name"],
  ["namespace", "Namespace"],
  ["group", "Group"],
  ["version", "Version"],
  ["labelSelector", "Label selector"],
  ["annotationSelector", "Annotation selector"],
] as const;

interface Props {
  patches: readonly KustomizePatch[];
  onChange(patches: KustomizePatch[]): void;
}

/** Patches in order: a text or a file of each, and what it is for. */
export function PatchEditor({ patches, onChange }: Props) {
  return (
    <fieldset className="rows">
      <legend className="visually-hidden">Patches</legend>
      {patches.map((patch, index) => (
        <Patch
          // biome-ignore lint/suspicious/noArrayIndexKey: a patch is its place; two may be equal
          key={index}
          place={index + 1}
          patch={patch}
          onChange={(changed) => onChange(patches.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onChange(patches.filter((_, at) => at !== index))}
        />
      ))}
      <AddRow what="Patches" onAdd={() => onChange([...patches, { patch: "" }])} />
    </fieldset>
  );
}

interface PatchProps {
  place: number;
  patch: KustomizePatch;
  onChange(patch: KustomizePatch): void;
  onRemove(): void;
}

function Patch({ place, patch, onChange, onRemove }: PatchProps) {
  const { target = {} } = patch;
  const what = `Patch ${place}`;
  return (
    <div className="patch">
      <div className="row-line">
        <input
          className="mono"
          aria-label={`${what}, file`}
          placeholder="file, where the patch is not written here"
          value={patch.path ?? ""}
          onChange={({ target: input }) => onChange({ ...patch, path: input.value })}
        />
        <RemoveRow what={what} onRemove={onRemove} />
      </div>
      <textarea
        className="code-field"
        spellCheck={false}
        aria-label={`${what}, text`}
        placeholder={"- op: replace\n  path: /spec/replicas\n  value: 3"}
        value={patch.patch ?? ""}
        onChange={({ target: area }) => onChange({ ...patch, patch: area.value })}
      />
      <span className="hint">For objects with (what is left empty matches any)</span>
      <div className="patch-target">
        {targetFields.map(([field, label]) => (
          <input
            key={field}
            aria-label={`${what}, ${label} of its target`}
            placeholder={label}
            title={label}
            value={target[field] ?? ""}
            onChange={({ target: input }) =>
              onChange({ ...patch, target: { ...target, [field]: input.value } })
            }
          />
        ))}
      </div>
    </div>
  );
}
