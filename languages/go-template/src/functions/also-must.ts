import type { GoFunction, GoFunctions } from "../execute/functions.ts";

/** Each also by its name with "must" before it: a failure ends the template by both. */
export function alsoMust(functions: GoFunctions): GoFunctions {
  const both = Object.entries(functions).flatMap(([name, play]): [string, GoFunction][] => [
    [name, play],
    [`must${name[0]?.toUpperCase()}${name.slice(1)}`, play],
  ]);
  return Object.fromEntries(both);
}
