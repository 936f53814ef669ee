import { type FormEvent, useId, useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** `secret` is not shown; `text` has several lines; a list is to choose from. Without it one line. */
  readonly kind?: "secret" | "text" | "check" | readonly string[];
  readonly required?: true;
  /** Shown only while the others say so. */
  when?(values: FormValues): boolean;
}

/** Of a box "yes" or "". */
export type FormValues = Readonly<Record<string, string>>;

interface Props {
  title: string;
  verb: string;
  /** What follows from it, above the fields. */
  note?: string;
  fields: readonly FormField[];
  start?: FormValues;
  onClose(): void;
  /** When it has been done; without it the form closes. */
  onDone?(): void;
  /** Its failure stays in the form, with everything that was typed. */
  submit(values: FormValues): Promise<void>;
}

/** A form in a dialog. It closes when what was asked for has been done. */
export function FormDialog(props: Props) {
  const { title, verb, note, fields, start = {}, onClose, onDone = onClose, submit } = props;
  const [values, setValues] = useState(start);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const id = useId();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      await submit(values);
      onDone();
    } catch (problem) {
      setFailure(problem);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} busy={isBusy}>
            {verb}
          </Button>
        </>
      }
    >
      {note && <p className="dim">{note}</p>}
      <form id={id} className="form-fields" onSubmit={onSubmit}>
        {fields
          .filter(({ when }) => when?.(values) ?? true)
          .map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name] ?? ""}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
      </form>
      {failure !== undefined && <Problem title={`Could not: ${verb.toLowerCase()}`} failure={failure} />}
    </Dialog>
  );
}

interface FieldProps {
  field: FormField;
  value: string;
  onChange(value: string): void;
}

function Field({ field, value, onChange }: FieldProps) {
  const { name, label, hint, kind, required = false } = field;
  const id = useId();
  if (kind === "check")
    return (
      <label className="check with-hint">
        <input
          type="checkbox"
          checked={value === "yes"}
          onChange={(event) => onChange(event.target.checked ? "yes" : "")}
        />
        <span>
          {label}
          {hint && <span className="hint">{hint}</span>}
        </span>
      </label>
    );
  const change = (event: { target: { value: string } }) => onChange(event.target.value);
  const common = { id, name, required, value, onChange: change };
  return (
    <label className="field" htmlFor={id}>
      <span>{label}</span>
      {typeof kind === "object" ? (
        <select {...common}>
          {kind.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === "text" ? (
        <textarea className="code-field" spellCheck={false} {...common} />
      ) : (
        <input
          type={kind === "secret" ? "password" : "text"}
          autoComplete={kind === "secret" ? "new-password" : "off"}
          {...common}
        />
      )}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
}
