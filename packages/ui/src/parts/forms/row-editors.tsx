import { Button } from "../../primitives/button.tsx";
import { TextField } from "./text-field.tsx";

/** A name with its value, as a row holds them. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

interface Marks {
  id?: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: boolean | undefined;
}

interface ListProps extends Marks {
  label: string;
  value: readonly string[];
  /** What is shown holds without being set here; the first change sets it. */
  isDefault?: boolean;
  suggestions?: readonly string[];
  onChange(value: string[]): void;
}

/** Texts in order, one a row. */
export function ListEditor({
  label,
  value: items,
  isDefault,
  suggestions,
  onChange,
  id,
  ...marks
}: ListProps) {
  const listId = suggestions && suggestions.length > 0 ? `${id ?? label}-choices` : undefined;
  return (
    <fieldset className="rows" data-default={isDefault && items.length > 0 ? "" : undefined}>
      <legend className="visually-hidden">{label}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; equal texts may stand in two
        <div className="row-line" key={index}>
          <input
            {...(index === 0 ? { ...marks, id } : {})}
            aria-label={`${label}, item ${index + 1}`}
            value={item}
            list={listId}
            onChange={({ target }) => onChange(items.with(index, target.value))}
          />
          <RemoveRow
            what={`${label}, item ${index + 1}`}
            onRemove={() => onChange(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      {listId && (
        <datalist id={listId}>
          {suggestions?.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <AddRow
        {...(items.length === 0 ? { ...marks, id } : {})}
        what={label}
        onAdd={() => onChange([...items, ""])}
      />
    </fieldset>
  );
}

interface PairProps extends Marks {
  label: string;
  /** What the two columns hold. */
  words: readonly [string, string];
  value: readonly Pair[];
  isDefault?: boolean;
  onChange(value: Pair[]): void;
}

/** Names with values, one pair a row. */
export function PairEditor({ label, words, value: pairs, isDefault, onChange, id, ...marks }: PairProps) {
  const change = (index: number, patch: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...patch } : pair)));
  return (
    <fieldset className="rows" data-default={isDefault && pairs.length > 0 ? "" : undefined}>
      <legend className="visually-hidden">{label}</legend>
      {pairs.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name changes while it is typed
        <div className="row-line pair" key={index}>
          <input
            {...(index === 0 ? { ...marks, id } : {})}
            aria-label={`${label}, ${words[0]} ${index + 1}`}
            placeholder={words[0]}
            value={name}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <TextField
            aria-label={`${label}, ${words[1]} of ${name || index + 1}`}
            placeholder={words[1]}
            value={value}
            onChange={(text) => change(index, { value: text })}
          />
          <RemoveRow
            what={`${label}, ${name || index + 1}`}
            onRemove={() => onChange(pairs.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddRow
        {...(pairs.length === 0 ? { ...marks, id } : {})}
        what={label}
        onAdd={() => onChange([...pairs, { name: "", value: "" }])}
      />
    </fieldset>
  );
}

export function RemoveRow({ what, onRemove }: { what: string; onRemove(): void }) {
  return <Button look="quiet" icon="close" aria-label={`Remove ${what}`} title="Remove" onClick={onRemove} />;
}

export function AddRow({ what, onAdd, ...marks }: Marks & { what: string; onAdd(): void }) {
  return (
    <Button className="add-row" {...marks} aria-label={`Add to ${what}`} onClick={onAdd}>
      Add
    </Button>
  );
}
