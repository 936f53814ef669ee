import { JsonnetError } from "./jsonnet-error.ts";
import type { Arguments, Native, Natives } from "./native.ts";
import { isEqual, toText } from "./operators.ts";
import {
  type Field,
  JsonnetArray,
  JsonnetFunction,
  JsonnetObject,
  Thunk,
  typeOf,
  type Value,
} from "./values.ts";

const lazyField = (object: JsonnetObject, name: string): Thunk => new Thunk(() => object.get(name) ?? null);

function objectOf(entries: readonly (readonly [string, () => Value])[]): JsonnetObject {
  const fields = new Map<string, Field>();
  for (const [name, compute] of entries) fields.set(name, { visibility: ":", adds: false, compute });
  return new JsonnetObject([{ fields, asserts: [] }]);
}

const names = (args: Arguments, hidden: boolean): string[] => args.object(0).names(hidden);

const keysValues = (args: Arguments, hidden: boolean): JsonnetArray =>
  JsonnetArray.of(
    names(args, hidden).map((key) =>
      objectOf([
        ["key", () => key],
        ["value", () => args.object(0).get(key) ?? null],
      ]),
    ),
  );

/** RFC 7396. */
function mergePatch(target: Value, patch: Value): Value {
  if (!(patch instanceof JsonnetObject)) return patch;
  const base = target instanceof JsonnetObject ? target : undefined;
  const kept = base?.names(false) ?? [];
  const patched = patch.names(false);
  const all = [...kept.filter((name) => !patched.includes(name)), ...patched];
  const entries = all
    .filter((name) => !patched.includes(name) || patch.get(name) !== null)
    .map((name): [string, () => Value] => [
      name,
      () =>
        patched.includes(name)
          ? mergePatch(base?.get(name) ?? null, patch.get(name) ?? null)
          : (base?.get(name) ?? null),
    ]);
  return objectOf(entries);
}

function isHollow(value: Value): boolean {
  if (value === null) return true;
  if (value instanceof JsonnetArray) return value.items.length === 0;
  return value instanceof JsonnetObject && value.names(false).length === 0;
}

function prune(value: Value): Value {
  if (value instanceof JsonnetArray)
    return JsonnetArray.of(
      value
        .values()
        .map(prune)
        .filter((item) => !isHollow(item)),
    );
  if (!(value instanceof JsonnetObject)) return value;
  const entries = value
    .names(false)
    .map((name) => [name, prune(value.get(name) ?? null)] as const)
    .filter(([, item]) => !isHollow(item));
  return objectOf(entries.map(([name, item]) => [name, () => item]));
}

function lengthOf(value: Value): number {
  if (typeof value === "string") return Array.from(value).length;
  if (value instanceof JsonnetArray) return value.items.length;
  if (value instanceof JsonnetObject) return value.names(false).length;
  if (value instanceof JsonnetFunction) return value.params.filter(({ hasDefault }) => !hasDefault).length;
  throw new JsonnetError(
    `std.length operates on strings, objects, functions and arrays, got ${typeOf(value)}`,
  );
}

function assertEqual(args: Arguments): Value {
  if (isEqual(args.value(0), args.value(1))) return true;
  throw new JsonnetError(`Assertion failed. ${toText(args.value(0))} != ${toText(args.value(1))}`);
}

const isType = (type: string): Native => ["v", (args) => typeOf(args.value(0)) === type];

/** A name of its own, because an object literal types `toString` by Object.prototype. */
const text: Native = ["a", (args) => toText(args.value(0))];

export const standardObjects: Natives = {
  type: ["x", (args) => typeOf(args.value(0))],
  isString: isType("string"),
  isNumber: isType("number"),
  isBoolean: isType("boolean"),
  isObject: isType("object"),
  isArray: isType("array"),
  isFunction: isType("function"),
  isNull: isType("null"),
  length: ["x", (args) => lengthOf(args.value(0))],
  id: ["x", (args) => args.value(0)],
  trace: ["str rest", (args) => args.value(1)],
  assertEqual: ["a b", assertEqual],
  toString: text,
  objectHas: ["o f", (args) => names(args, false).includes(args.text(1))],
  objectHasAll: ["o f", (args) => args.object(0).has(args.text(1))],
  objectHasEx: ["obj fname hidden", (args) => names(args, args.boolean(2)).includes(args.text(1))],
  objectFields: ["o", (args) => JsonnetArray.of(names(args, false))],
  objectFieldsAll: ["o", (args) => JsonnetArray.of(names(args, true))],
  objectFieldsEx: ["obj hidden", (args) => JsonnetArray.of(names(args, args.boolean(1)))],
  objectValues: [
    "o",
    (args) => new JsonnetArray(names(args, false).map((name) => lazyField(args.object(0), name))),
  ],
  objectValuesAll: [
    "o",
    (args) => new JsonnetArray(names(args, true).map((name) => lazyField(args.object(0), name))),
  ],
  objectKeysValues: ["o", (args) => keysValues(args, false)],
  objectKeysValuesAll: ["o", (args) => keysValues(args, true)],
  objectRemoveKey: ["obj key", (args) => args.object(0).without(args.text(1))],
  get: [
    "o f default? inc_hidden?",
    (args) => {
      const hidden = !args.has(3) || args.boolean(3);
      return names(args, hidden).includes(args.text(1))
        ? (args.object(0).get(args.text(1)) ?? null)
        : args.value(2);
    },
  ],
  mapWithKey: [
    "func obj",
    (args) => {
      const [f, object] = [args.function(0), args.object(1)];
      return objectOf(
        object
          .names(false)
          .map((name) => [name, () => f.invoke([Thunk.of(name), lazyField(object, name)], undefined)]),
      );
    },
  ],
  mergePatch: ["target patch", (args) => mergePatch(args.value(0), args.value(1))],
  prune: ["a", (args) => prune(args.value(0))],
};
