import { useId } from "react";

/** What is offered, and what it is. */
interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Props {
  label: string;
  value: string;
  hint?: string;
  required?: boolean;
  /** What is known to exist; anything else may be written too. */
  choices?: readonly (string | Choice)[];
  onFocus?(): void;
  onChange(value: string): void;
}

const offeredAtMost = 300;

export function FormField({ label, value, hint, required = false, choices, onFocus, onChange }: Props) {
  const id = useId();
  return (
    <label className="field">
      <span>{label}</span>
      <input
        required={required}
        value={value}
        autoComplete="off"
        list={choices ? id : undefined}
        onFocus={onFocus}
        onChange={({ target }) => onChange(target.value)}
      />
      {choices && (
        <datalist id={id}>
          {offered(choices).map(([choice, what]) => (
            <option key={choice} value={choice} label={what} />
          ))}
        </datalist>
      )}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
}

/** Each once. */
function offered(choices: readonly (string | Choice)[]): [string, string | undefined][] {
  const pairs = choices.map((choice): [string, string | undefined] =>
    typeof choice === "string" ? [choice, undefined] : [choice.value, choice.label],
  );
  return [...new Map(pairs)].slice(0, offeredAtMost);
}

interface CheckProps {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
}

export function FormCheck({ label, checked, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
    </label>
  );
}
