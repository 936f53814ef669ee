import { useId } from "react";

interface Props {
  label: string;
  value: string;
  hint?: string;
  required?: boolean;
  /** What is known to exist; anything else may be written too. */
  choices?: readonly string[];
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
          {[...new Set(choices)].slice(0, offeredAtMost).map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
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
