import { named, sliceBounds, smallInt } from "../operators/indices.ts";
import { missingKey } from "../operators/operators.ts";
import { outOfRange } from "../operators/out-of-range.ts";
import { StarlarkError } from "../script-error.ts";
import { StarBytes } from "../values/bytes.ts";
import { StarDict } from "../values/mappings.ts";
import { StarList, StarRange, StarTuple } from "../values/sequences.ts";
import { StarObject, typeOf, type Value } from "../values/value.ts";

export function getIndex(target: Value, index: Value): Value {
  if (target instanceof StarDict) {
    const value = target.get(index);
    if (value === undefined) throw missingKey(index, target);
    return value;
  }
  const own = target instanceof StarObject ? target.index(index) : undefined;
  if (own !== undefined) return own;
  const length = indexedLength(target);
  if (length === undefined)
    throw new StarlarkError(`unhandled index operation ${typeOf(target)}[${typeOf(index)}]`);
  const at = named(`${typeOf(target)} index`, () => smallInt(index));
  const found = elementAt(target, at < 0 ? at + length : at);
  if (found === undefined) throw outOfRange(at, length, target);
  return found;
}

export function setIndex(target: Value, index: Value, value: Value): void {
  if (target instanceof StarDict) {
    target.set(index, value);
    return;
  }
  if (!(target instanceof StarList))
    throw new StarlarkError(`${typeOf(target)} value does not support item assignment`);
  const { length } = target.items;
  const given = smallInt(index);
  const at = given < 0 ? given + length : given;
  if (at < 0 || at >= length) throw outOfRange(given, length, target);
  target.checkMutable("assign to element of");
  target.items[at] = value;
}

function indexedLength(target: Value): number | undefined {
  if (typeof target === "string") return target.length;
  const isIndexed =
    target instanceof StarList ||
    target instanceof StarTuple ||
    target instanceof StarRange ||
    target instanceof StarBytes;
  return isIndexed ? target.length() : undefined;
}

function elementAt(target: Value, at: number): Value | undefined {
  if (typeof target === "string") return target[at];
  if (target instanceof StarList || target instanceof StarTuple) return target.items[at];
  if (target instanceof StarRange) return at >= 0 && at < target.count ? target.at(at) : undefined;
  const char = target instanceof StarBytes ? target.data[at] : undefined;
  return char === undefined ? undefined : new StarBytes(char);
}

export interface Bounds {
  from: Value;
  to: Value;
  step: Value;
}

export function getSlice(target: Value, bounds: Bounds): Value {
  const length = indexedLength(target);
  if (length === undefined) throw new StarlarkError(`invalid slice operand ${typeOf(target)}`);
  const ends = sliceBounds(bounds, length);
  const { from, to, step } = ends;
  if (target instanceof StarRange) return target.slice(from, to, step);
  if (typeof target === "string") return sliceText(target, ends);
  if (target instanceof StarBytes) return new StarBytes(sliceText(target.data, ends));
  const items = target instanceof StarList || target instanceof StarTuple ? target.items : [];
  const part = step === 1 ? items.slice(from, to) : pick(items, ends);
  return target instanceof StarList ? new StarList(part) : new StarTuple(part);
}

type Ends = ReturnType<typeof sliceBounds>;

function sliceText(text: string, ends: Ends): string {
  return ends.step === 1 ? text.slice(ends.from, ends.to) : pick([...text], ends).join("");
}

function pick<T>(items: readonly T[], { from, to, step }: Ends): T[] {
  const picked: T[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) {
    const item = items[at];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}
