import { indices } from "../operators/indices.ts";
import { extend } from "../operators/operators.ts";
import { outOfRange } from "../operators/out-of-range.ts";
import { StarlarkError } from "../script-error.ts";
import { equal } from "../values/compare.ts";
import type { StarList } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import type { Methods } from "./methods.ts";

export const listMethods: Methods<StarList> = {
  append(self, args) {
    args.take(1);
    args.naming(() => self.checkMutable("append to"));
    self.items.push(args.value(0));
    return null;
  },
  clear(self, args) {
    args.take(0);
    args.naming(() => self.checkMutable("clear"));
    self.items.length = 0;
    return null;
  },
  extend(self, args) {
    const by = args.take(1).iterable(0);
    args.naming(() => self.checkMutable("extend"));
    extend(self, by);
    return null;
  },
  index(self, args) {
    args.take(1, 3);
    return args.naming(() => {
      const { from, to } = indices(args.value(1), args.value(2), self.items.length);
      const value = args.value(0);
      for (let at = from; at < to; at++) if (equal(self.items[at] ?? null, value)) return BigInt(at);
      throw new StarlarkError("value not in list");
    });
  },
  insert(self, args) {
    const given = args.take(2).int(0);
    args.naming(() => self.checkMutable("insert into"));
    spend(self.items.length >> 4);
    const at = given < 0 ? Math.max(0, given + self.items.length) : given;
    self.items.splice(at, 0, args.value(1));
    return null;
  },
  pop(self, args) {
    const { length } = self.items;
    const given = args.take(0, 1).int(0, length - 1);
    const at = given < 0 ? given + length : given;
    spend(length >> 4);
    return args.naming(() => {
      if (at < 0 || at >= length) throw outOfRange(given, length, self);
      self.checkMutable("pop from");
      return self.items.splice(at, 1)[0] ?? null;
    });
  },
  remove(self, args) {
    const value = args.take(1).value(0);
    args.naming(() => self.checkMutable("remove from"));
    const at = args.naming(() => self.items.findIndex((item) => equal(item, value)));
    if (at < 0) throw args.error("element not found");
    self.items.splice(at, 1);
    return null;
  },
};
