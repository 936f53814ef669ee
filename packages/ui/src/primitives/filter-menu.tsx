import { useState } from "react";
import { MiddleCut } from "./middle-cut.tsx";
import { Unfolding } from "./unfolding.tsx";

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
  const [only = ""] = chosen;
  const many = chosen.length > 1 ? `${label}: ${chosen.length}` : `${label}: ${word(only)}`;
  return (
    <Unfolding label={chosen.length === 0 ? label : many} filter={chosen.length > 0 ? "on" : "off"}>
      {(id) => <FilterList {...{ id, label, values, chosen, onToggle, word }} />}
    </Unfolding>
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
