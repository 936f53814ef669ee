import type { SourceDescription } from "@capstan/wire";
import { type ReactNode, useState } from "react";
import type { Draft } from "./draft.ts";
import type { Problems } from "./problems.ts";

export interface FormProps {
  draft: Draft;
  description: SourceDescription | undefined;
  problems: Problems;
  onChange(patch: Partial<Draft>): void;
}

type Editable = Pick<FormProps, "draft" | "onChange">;

/** One field of the draft and its change, as a row or an editor takes them. */
export function fieldOf<Name extends keyof Draft>({ draft, onChange }: Editable, name: Name) {
  const put = (value: Draft[Name]) => onChange({ [name]: value } as Pick<Draft, Name>);
  return { value: draft[name], onChange: put };
}

/** The same of one that is true or false. */
export function checkOf<Name extends keyof Draft>(form: Editable, name: Name) {
  const { value: checked, onChange } = fieldOf(form, name);
  return { checked, onChange };
}

interface TextRowProps {
  label: string;
  value: string;
  placeholder?: string | undefined;
  hint?: string | undefined;
  isCode?: boolean;
  onChange(value: string): void;
}

export function TextRow({ label, value, placeholder, hint, isCode, onChange }: TextRowProps) {
  const id = `field ${label}`;
  return (
    <div className="parameter" data-set={value === "" ? undefined : ""}>
      <div className="parameter-label">
        <label htmlFor={id} className={isCode && placeholder?.includes(label) ? "mono" : undefined}>
          {label}
        </label>
        {hint && <span className="hint">{hint}</span>}
      </div>
      <div className="parameter-control">
        <input
          id={id}
          className={isCode ? "mono" : undefined}
          value={value}
          placeholder={placeholder}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <div className="parameter-from">
        {value !== "" && (
          <button type="button" className="button quiet" onClick={() => onChange("")}>
            Reset
          </button>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  label: string;
  htmlFor?: string;
  hint?: string;
  problem?: string | undefined;
  isSet?: boolean;
  children: ReactNode;
}

export function Row({ label, htmlFor, hint, problem, isSet, children }: RowProps) {
  return (
    <div className="parameter" data-set={isSet ? "" : undefined}>
      <div className="parameter-label">
        {htmlFor ? <label htmlFor={htmlFor}>{label}</label> : <span>{label}</span>}
        {hint && <span className="hint">{hint}</span>}
      </div>
      <div className="parameter-control">
        {children}
        {problem && <p className="field-problem">{problem}</p>}
      </div>
      <div className="parameter-from" />
    </div>
  );
}

interface CheckProps {
  id?: string;
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function Check({ id, label, checked, onChange }: CheckProps) {
  return (
    <label className="check">
      <input id={id} type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A name, to be made a row of. */
export function AddName({
  label,
  placeholder,
  onAdd,
}: {
  label: string;
  placeholder: string;
  onAdd(name: string): void;
}) {
  const [name, setName] = useState("");
  return (
    <form
      className="add-parameter"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        onAdd(name.trim());
        setName("");
      }}
    >
      <input
        aria-label={label}
        placeholder={placeholder}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button">
        Add
      </button>
    </form>
  );
}
