import { type Application, syncRank } from "@capstan/model";
import { useState } from "react";
import { Button } from "../../primitives/button.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { resourceKey } from "../../resource-id.ts";
import { objectCount } from "../application-facts.ts";

interface Props {
  app: Application;
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}

const listedAtMost = 200;

/** Which objects are synced: all, or those that are chosen, what differs first. */
export function ObjectChoice({ app, chosen, onChange }: Props) {
  const [text, setText] = useState("");
  const objects = (app.status?.resources ?? [])
    .filter(({ hook }) => !hook)
    .toSorted((left, right) => syncRank(left.status) - syncRank(right.status));
  const wanted = text.toLowerCase();
  const found = objects.filter(({ kind, name }) => `${kind} ${name}`.toLowerCase().includes(wanted));
  return (
    <details className="object-choice" open={chosen.length > 0}>
      <summary>
        {chosen.length === 0 ? "All objects" : `Only ${objectCount(chosen.length)}, no hooks`}
      </summary>
      <input
        type="search"
        aria-label="Find an object"
        placeholder="Find"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {chosen.length > 0 && (
        <Button look="quiet" onClick={() => onChange([])}>
          All objects
        </Button>
      )}
      <ul className="plain-list">
        {found.slice(0, listedAtMost).map((object) => {
          const key = resourceKey(object);
          const rest = chosen.filter((one) => one !== key);
          return (
            <li key={key}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={rest.length < chosen.length}
                  onChange={(event) => onChange(event.target.checked ? [...rest, key] : rest)}
                />
                <span>
                  <span className="dim">{object.kind}</span> <MiddleCut text={object.name ?? ""} />
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
