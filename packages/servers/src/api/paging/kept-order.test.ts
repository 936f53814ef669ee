import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { comparePlaces, KeptOrder, type Place } from "./kept-order.ts";

interface Entry {
  id: string;
  key: number;
}
const placeOf = ({ id, key }: Entry): Place => ({ id, key });

test("whatever comes, goes and changes, the order is that of sorting anew, from every place in it", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const step = fc.record({ id, key: fc.nat(3), isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.record({ id, key: fc.nat(3) }), (steps, from) => {
      const held = new Map<string, Entry>();
      const order = new KeptOrder<Entry>([], placeOf);
      for (const { isGone, ...entry } of steps) {
        order.replace(held.get(entry.id), isGone ? undefined : entry);
        if (isGone) held.delete(entry.id);
        else held.set(entry.id, entry);
      }
      const expected = [...held.values()].sort(comparePlaces);
      assert.deepEqual([...order.from(undefined, false)], expected);
      assert.deepEqual([...order.from(undefined, true)], expected.toReversed());
      const behind = expected.filter((one) => comparePlaces(one, from) > 0);
      const before = expected.filter((one) => comparePlaces(one, from) < 0).toReversed();
      assert.deepEqual([...order.from(from, false)], behind);
      assert.deepEqual([...order.from(from, true)], before);
      assert.deepEqual([...new KeptOrder(held.values(), placeOf).from(undefined, false)], expected);
    }),
  );
});
