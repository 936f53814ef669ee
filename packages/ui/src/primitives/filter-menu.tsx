import { useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { useLeave } from "./leave.ts";
import { MiddleCut } from "./middle-cut.tsx";

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

interface Props {
  label: string;
  /** Asked for when it is open. */
  values(): readonly FacetValue[];
  chosen: readonly string[];
  onToggle(value: string): void;
  /** What a value is called; without it as it is. */
  word?(value: string): string;
}

/** More values than this are found by typing, not by scrolling. */
const listedAtMost = 200;

const asItIs = (value: string) => value;

export function FilterMenu({ label, values, chosen, onToggle, word = asItIs }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useLeave(root, open, () => setOpen(false));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields inside, which bubble up to here
    <div
      className="menu"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        event.preventDefault();
        setOpen(false);
        root.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        className={chosen.length > 0 ? "button filter on" : "button filter"}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span>
          {label}
          {chosen.length === 1 ? `: ${word(chosen[0] ?? "")}` : chosen.length > 1 ? `: ${chosen.length}` : ""}
        </span>
        <Icon name="down" size={12} />
      </button>
      {open && <FilterList {...{ id, label, values, chosen, onToggle, word }} />}
    </div>
  );
}

function FilterList({
  id,
  label,
  values: valuesNow,
  chosen,
  onToggle,
  word = asItIs,
}: Props & { id: string }) {
  const [text, setText] = useState("");
  const values = valuesNow();
  const gone = chosen.filter((value) => !values.some((known) => known.value === value));
  const all = [...gone.map((value) => ({ value, count: 0 })), ...values];
  const matching = all.filter(({ value }) => word(value).toLowerCase().includes(text.toLowerCase()));
  return (
    <fieldset className="menu-list filter-list" id={id} aria-label={label}>
      {all.length > 8 && (
        <input
          type="search"
          aria-label={`Find in ${label.toLowerCase()}`}
          placeholder="Find"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {matching.slice(0, listedAtMost).map(({ value, count }) => (
        <label key={value} className="filter-value">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onToggle(value)} />
          <MiddleCut text={word(value)} />
          <span className="dim">{count}</span>
        </label>
      ))}
      {matching.length === 0 && <p className="dim">None</p>}
    </fieldset>
  );
}
