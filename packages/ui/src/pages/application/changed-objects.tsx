import type { Application } from "@capstan/model";
import { useMemo, useState } from "react";
import { objectCount } from "../../parts/application-facts.ts";
import { rightOn } from "../../parts/application-rights.ts";
import { countLines } from "../../parts/code/line-changes.ts";
import { Button } from "../../primitives/button.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { useCan } from "../../queries/rights.ts";
import { resourceKey } from "../../resource-id.ts";
import { changeSearch } from "../../url-state.ts";
import { boxId, type Compared, changeWords } from "./object-change.ts";

interface Props {
  app: Application;
  compared: readonly Compared[];
}

/** What differs at a glance, how much, and a way to sync some of it; one object alone needs no list. */
export function ChangedObjects({ app, compared }: Props) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const maySync = useCan(rightOn(app, "sync"));
  if (compared.length === 1) return null;
  const keys = compared.map(({ diff }) => resourceKey(diff)).filter((key) => chosen.includes(key));
  return (
    <section className="changed-objects" aria-label="What differs">
      <ul className="plain-list">
        {compared.map((one) => (
          <ChangedObject
            key={resourceKey(one.diff)}
            {...one}
            chosen={maySync ? chosen : undefined}
            onChoose={setChosen}
          />
        ))}
      </ul>
      {maySync && keys.length > 0 && (
        <Button
          look="primary"
          icon="sync"
          onClick={() => changeSearch({ dialog: "sync", objects: keys.join(",") }, { push: true })}
        >
          Sync {objectCount(keys.length)}…
        </Button>
      )}
    </section>
  );
}

interface RowProps extends Compared {
  /** Without it nothing may be chosen. */
  chosen: readonly string[] | undefined;
  onChoose(chosen: readonly string[]): void;
}

function ChangedObject({ diff, change, before, after, chosen, onChoose }: RowProps) {
  const { glyph, tone, text } = changeWords[change];
  const key = resourceKey(diff);
  const { added, removed } = useMemo(() => countLines(before, after), [before, after]);
  const name = `${diff.kind} ${diff.name}`;
  const rest = chosen?.filter((one) => one !== key) ?? [];
  return (
    <li className="changed-object">
      {chosen && (
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={rest.length < chosen.length}
          onChange={(event) => onChoose(event.target.checked ? [...rest, key] : rest)}
        />
      )}
      <Glyph name={glyph} tone={tone} label={text} />
      <button
        type="button"
        className="changed-name"
        onClick={() => document.getElementById(boxId(diff))?.scrollIntoView({ block: "start" })}
      >
        <span className="dim">{diff.kind}</span> <MiddleCut text={diff.name ?? ""} />
      </button>
      <span className="line-counts">
        <span className="tone-good">+{added}</span> <span className="tone-bad">−{removed}</span>
      </span>
    </li>
  );
}
