import type { PluginParameter } from "@capstan/model";
import { type ReactNode, useId } from "react";
import { ListEditor, PairEditor } from "../../parts/forms/row-editors.tsx";
import { TextField } from "../../parts/forms/text-field.tsx";
import { Button } from "../../primitives/button.tsx";
import type { DraftParameter } from "./draft.ts";
import type { Field } from "./fields.ts";

interface Props {
  field: Field;
  set: DraftParameter | undefined;
  problem: string | undefined;
  /** undefined: the application no longer sets it. */
  onChange(value: DraftParameter | undefined): void;
}

/** A parameter: what it is, its control by type, and whether it is set here or comes from elsewhere. */
export function FieldRow({ field, set, problem, onChange }: Props) {
  const id = useId();
  const { name, title, tooltip, required, kind, isUnknown } = field;
  const isOdd = set !== undefined && valueKind(set) !== collectionOf(kind);
  return (
    <div className="parameter" data-set={set ? "" : undefined}>
      <div className="parameter-label">
        <label htmlFor={id}>
          {title ?? name}
          {required && <span className="required"> required</span>}
        </label>
        {title && title !== name && <code>{name}</code>}
        {tooltip && <span className="hint">{tooltip}</span>}
        {isUnknown && <span className="hint">The plugin does not announce it.</span>}
      </div>
      <div className="parameter-control">
        {isOdd ? (
          <code>{valueText(set)}</code>
        ) : (
          <Control {...{ field, set, onChange, id }} describedBy={problem ? `${id}-problem` : undefined} />
        )}
        {problem && (
          <p className="field-problem" id={`${id}-problem`}>
            {problem}
          </p>
        )}
      </div>
      <div className="parameter-from">
        {set ? (
          <Button look="quiet" onClick={() => onChange(undefined)} title={resetTitle(field)}>
            {isUnknown ? "Remove" : "Reset"}
          </Button>
        ) : (
          <span className="dim">{fromText(field)}</span>
        )}
      </div>
    </div>
  );
}

function collectionOf(kind: Field["kind"]): "string" | "array" | "map" {
  return kind === "array" || kind === "map" ? kind : "string";
}

function valueKind({ array, map }: DraftParameter): "string" | "array" | "map" {
  if (array) return "array";
  return map ? "map" : "string";
}

function valueText({ string, array, map }: DraftParameter): string {
  const entries = (map ?? []).map(({ name, value }) => `${name}=${value}`);
  return string ?? [...(array ?? []), ...entries].join(", ");
}

const origins = { plugin: "default", pipeline: "from the pipeline", stages: "set for every stage" } as const;

function fromText({ byDefault, defaultFrom, required }: Field): string {
  const { string, array = [], map = {} } = byDefault;
  const hasDefault = string !== undefined || array.length > 0 || Object.keys(map).length > 0;
  if (hasDefault) return origins[defaultFrom];
  return required ? "" : "not set";
}

function resetTitle({ byDefault, isUnknown }: Field): string {
  if (isUnknown) return "Take it out of the application";
  const { string } = byDefault;
  return string === undefined ? "Back to what holds without it" : `Back to “${string}”`;
}

interface ControlProps {
  field: Field;
  set: DraftParameter | undefined;
  id: string;
  describedBy: string | undefined;
  onChange(value: DraftParameter): void;
}

function Control({ field, set, id, describedBy, onChange }: ControlProps): ReactNode {
  const { address: name, kind, byDefault } = field;
  const marks = { id, "aria-describedby": describedBy, "aria-invalid": describedBy ? true : undefined };
  if (kind === "array") {
    const items = set?.array ?? byDefault.array ?? [];
    return (
      <ListEditor
        {...marks}
        label={field.title ?? field.name}
        value={items}
        isDefault={!set}
        onChange={(array) => onChange({ name, array })}
      />
    );
  }
  if (kind === "map")
    return (
      <PairEditor
        {...marks}
        label={field.title ?? field.name}
        words={["key", "value"]}
        value={set?.map ?? pairsOf(byDefault.map)}
        isDefault={!set}
        onChange={(map) => onChange({ name, map })}
      />
    );
  const choices = kind === "boolean" ? ["true", "false"] : field.choices;
  if (choices.length > 0) return <Select {...{ field, set, marks, choices, onChange }} />;
  return (
    <TextField
      {...marks}
      value={set?.string ?? ""}
      placeholder={set ? "empty text" : byDefault.string}
      inputMode={kind === "number" ? "decimal" : undefined}
      onChange={(string) => onChange({ name, string })}
    />
  );
}

function Select({
  field: { address: name, byDefault },
  set,
  marks,
  choices,
  onChange,
}: Pick<ControlProps, "field" | "set" | "onChange"> & { marks: object; choices: readonly string[] }) {
  const value = set?.string ?? byDefault.string ?? "";
  return (
    <select
      {...marks}
      value={value}
      data-default={set ? undefined : ""}
      onChange={({ target }) => onChange({ name, string: target.value })}
    >
      {!choices.includes(value) && <option value={value}>{value === "" ? "not set" : value}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice === "" ? "empty text" : choice}
        </option>
      ))}
    </select>
  );
}

function pairsOf(map: PluginParameter["map"]): { name: string; value: string }[] {
  return Object.entries(map ?? {}).map(([name, value]) => ({ name, value }));
}
