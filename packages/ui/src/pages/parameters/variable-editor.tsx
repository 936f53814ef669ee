import { AddRow, RemoveRow } from "../../parts/forms/row-editors.tsx";
import { TextField } from "../../parts/forms/text-field.tsx";
import type { JsonnetVariable } from "./draft.ts";
import { Check } from "./form-rows.tsx";

interface Props {
  label: string;
  value: readonly JsonnetVariable[];
  onChange(value: JsonnetVariable[]): void;
}

/** Names with values, each a text or an expression of Jsonnet. */
export function VariableEditor({ label, value: variables, onChange }: Props) {
  const change = (index: number, patch: Partial<JsonnetVariable>) =>
    onChange(variables.map((one, at) => (at === index ? { ...one, ...patch } : one)));
  return (
    <fieldset className="rows">
      <legend className="visually-hidden">{label}</legend>
      {variables.map(({ name, value, code }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name changes while it is typed
        <div className="row-line variable" key={index}>
          <input
            aria-label={`${label}, name ${index + 1}`}
            placeholder="name"
            value={name}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <TextField
            isCode={code}
            aria-label={`${label}, value of ${name || index + 1}`}
            placeholder={code ? "expression" : "text"}
            value={value}
            onChange={(text) => change(index, { value: text })}
          />
          <Check label="code" checked={code} onChange={(checked) => change(index, { code: checked })} />
          <RemoveRow
            what={`${label}, ${name || index + 1}`}
            onRemove={() => onChange(variables.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddRow what={label} onAdd={() => onChange([...variables, { name: "", value: "", code: false }])} />
    </fieldset>
  );
}
