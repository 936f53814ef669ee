import { StarlarkError } from "../script-error.ts";
import type { NamedArgument } from "../values/callables.ts";
import { StarDict } from "../values/mappings.ts";
import { repr } from "../values/print-value.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { isIterable, lengthOf, typeOf, type Value } from "../values/value.ts";
import type { Methods } from "./methods.ts";

export const dictMethods: Methods<StarDict> = {
  clear(self, args) {
    args.take(0);
    self.clear();
    return null;
  },
  get(self, args) {
    args.take(1, 2);
    return args.naming(() => self.get(args.value(0))) ?? args.value(1);
  },
  items(self, args) {
    args.take(0);
    return new StarList(self.entries().map((entry) => new StarTuple(entry)));
  },
  keys(self, args) {
    args.take(0);
    return new StarList(self.entries().map(([key]) => key));
  },
  pop(self, args) {
    args.take(1, 2);
    const found = args.naming(() => self.delete(args.value(0))) ?? args.optional(1);
    if (found === undefined) throw args.error("missing key");
    return found;
  },
  popitem(self, args) {
    args.take(0);
    const [key] = self.firstEntry() ?? [];
    if (key === undefined) throw args.error("empty dict");
    const value = args.naming(() => self.delete(key));
    return new StarTuple([key, value ?? null]);
  },
  setdefault(self, args) {
    args.take(1, 2);
    return args.naming(() => {
      const found = self.get(args.value(0));
      if (found !== undefined) return found;
      self.set(args.value(0), args.value(1));
      return args.value(1);
    });
  },
  update(self, args) {
    const { length } = args.positional;
    if (length > 1) throw args.error(`got ${length} arguments, want at most 1`);
    args.naming(() => updateDict(self, args.positional[0], args.named));
    return null;
  },
  values(self, args) {
    args.take(0);
    return new StarList(self.entries().map(([, value]) => value));
  },
};

/** What `dict(…)` and `update` do. */
export function updateDict(
  dict: StarDict,
  updates: Value | undefined,
  named: readonly NamedArgument[],
): void {
  if (updates instanceof StarDict) for (const [key, value] of updates.entries()) dict.set(key, value);
  else if (updates !== undefined) {
    if (!isIterable(updates)) throw new StarlarkError(`got ${typeOf(updates)}, want iterable`);
    let index = 0;
    for (const pair of updates.elements() ?? []) dict.set(...readPair(pair, index++));
  }
  const seen = new Set<string>();
  for (const [key, value] of named) {
    if (seen.has(key)) throw new StarlarkError(`duplicate keyword arg: ${repr(key)}`);
    seen.add(key);
    dict.set(key, value);
  }
}

function readPair(pair: Value, index: number): [Value, Value] {
  const what = `dictionary update sequence element #${index}`;
  if (!isIterable(pair)) throw new StarlarkError(`${what} is not iterable (${typeOf(pair)})`);
  const length = lengthOf(pair);
  if (length === undefined) throw new StarlarkError(`${what} has unknown length (${typeOf(pair)})`);
  if (length !== 2) throw new StarlarkError(`${what} has length ${length}, want 2`);
  const [key = null, value = null] = pair.elements() ?? [];
  return [key, value];
}
