import { StarSet } from "../values/mappings.ts";
import { isIterable, typeOf } from "../values/value.ts";
import type { Arguments } from "./arguments.ts";
import type { Methods } from "./methods.ts";

export const setMethods: Methods<StarSet> = {
  add(self, args) {
    args.take(1);
    args.naming(() => self.add(args.value(0)));
    return null;
  },
  clear(self, args) {
    args.take(0);
    if (self.truth()) args.naming(() => self.clear());
    return null;
  },
  difference: (self, args) => self.difference(other(args)),
  discard(self, args) {
    args.take(1);
    args.naming(() => self.delete(args.value(0)));
    return null;
  },
  intersection: (self, args) => other(args).intersection(self),
  issubset: (self, args) => self.isSubsetOf(other(args)),
  issuperset: (self, args) => other(args).isSubsetOf(self),
  pop(self, args) {
    args.take(0);
    const first = self.first();
    if (first === undefined) throw args.error("empty set");
    args.naming(() => self.delete(first));
    return first;
  },
  remove(self, args) {
    args.take(1);
    if (!args.naming(() => self.delete(args.value(0)))) throw args.error("missing key");
    return null;
  },
  symmetric_difference(self, args) {
    const against = other(args);
    return self.difference(against).union(against.difference(self));
  },
  union(self, args) {
    const result = StarSet.of(self.elements());
    addAll(result, args);
    return result;
  },
  update(self, args) {
    addAll(self, args);
    return null;
  },
};

function other(args: Arguments): StarSet {
  const values = args.take(1).elements(0);
  return args.naming(() => StarSet.of(values));
}

function addAll(set: StarSet, args: Arguments): void {
  if (args.named.length > 0) throw args.error("does not accept keyword arguments");
  for (const [index, values] of args.positional.entries()) {
    if (!isIterable(values)) throw args.error(`argument #${index + 1} is not iterable: ${typeOf(values)}`);
    args.naming(() => {
      for (const value of values.elements() ?? []) set.add(value);
    });
  }
}
