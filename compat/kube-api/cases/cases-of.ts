import { type Kind, titleOf } from "../kinds/kind.ts";
import { kinds } from "../kinds/kinds.ts";
import type { Case, Step } from "../script.ts";

type Steps = readonly Step[];
/** Undefined where the kind has nothing of the sort; a record makes a case of each entry. */
type Making = (kind: Kind) => Steps | Readonly<Record<string, Steps>> | undefined;

/** A case for each kind and title: "<area>/<kind>/<title>". */
export function casesOf(area: string, makings: Readonly<Record<string, Making>>): Case[] {
  return Object.entries(makings).flatMap(([title, make]) =>
    kinds.flatMap((kind): Case[] => {
      const made = make(kind);
      if (made === undefined) return [];
      const name = `${area}/${titleOf(kind)}/${title}`;
      if (isSteps(made)) return [{ name, steps: made }];
      return Object.entries(made).map(([part, steps]) => ({ name: `${name}: ${part}`, steps }));
    }),
  );
}

function isSteps(made: Steps | Readonly<Record<string, Steps>>): made is Steps {
  return Array.isArray(made);
}
