import { canonicalJson, isRecord } from "@capstan/formats";
import { GenerationError } from "./generation-error.ts";
import { type Parameters, printParameter } from "./parameters.ts";

/** Two sets as one of a matrix: with Go templates the first wins, else what both have must be the same. */
export function combineParameters(first: Parameters, second: Parameters, isGo: boolean): Parameters {
  if (isGo) return overridden(second, first);
  const combined = new Map(Object.entries(first).map(([name, value]) => [name, printParameter(value)]));
  for (const [name, value] of Object.entries(second)) {
    const text = printParameter(value);
    const known = combined.get(name);
    if (known !== undefined && known !== text)
      throw new GenerationError(
        `matrix: both generators give the parameter ${name}, one "${known}" and one "${text}"`,
      );
    combined.set(name, text);
  }
  return Object.fromEntries(combined);
}

/** dario.cat/mergo Merge with WithOverride: within maps, what is empty overrides too. */
function overridden(base: Parameters, over: Parameters): Parameters {
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(over)) {
    const known = merged.get(name);
    if (isRecord(known) && isRecord(value)) merged.set(name, overridden(known, value));
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** Go's zero value, and what has no members. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "" || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

/** The sets of the first generator, each with what the others have for the same keys (applicationset/generators MergeGenerator). */
export function mergeParameters(
  [base = [], ...others]: readonly (readonly Parameters[])[],
  keys: readonly string[],
  isGo: boolean,
): Parameters[] {
  if (keys.length === 0) throw new GenerationError("merge: mergeKeys is empty");
  const merged = byKeys(base, keys);
  for (const sets of others) {
    const over = byKeys(sets, keys);
    for (const [key, set] of merged) {
      const its = over.get(key);
      if (its) merged.set(key, isGo ? overridden(set, its) : { ...set, ...its });
    }
  }
  return [...merged.values()];
}

function byKeys(sets: readonly Parameters[], keys: readonly string[]): Map<string, Parameters> {
  const found = new Map<string, Parameters>();
  for (const set of sets) {
    const values = Object.fromEntries(
      keys.map((key) => [key, Object.hasOwn(set, key) ? (set[key] ?? null) : null]),
    );
    const text = canonicalJson(values);
    if (found.has(text))
      throw new GenerationError(`merge: two sets of one generator have the same merge keys: ${text}`);
    found.set(text, set);
  }
  return found;
}
