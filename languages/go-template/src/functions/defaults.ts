import { parseJson } from "@capstan/formats";
import { define, defineRest, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import {
  GoList,
  GoMap,
  isTrue,
  kindName,
  type Spend,
  toValue,
  typeName,
  type Value,
} from "../values/value.ts";
import { alsoMust } from "./also-must.ts";
import { isDeepEqual } from "./compare.ts";
import { JsonError, printJson } from "./print-json.ts";

const deepCopy = define(["any"], ([value], { spend }) => {
  if (value === null) throw new Error("reflect: call of reflect.Value.Type on zero Value");
  return copied(value, spend);
});

const json = define(["any"], ([value], { spend }) => printJson(value, { spend }));
const prettyJson = define(["any"], ([value], { spend }) => printJson(value, { spend, indent: "  " }));

/** As sprig: who wants the problem calls the other, with "must" before its name. */
function orNothing({ run, ...of }: GoFunction): GoFunction {
  return {
    ...of,
    run: (args, caller) => {
      try {
        return run(args, caller);
      } catch (error) {
        if (error instanceof JsonError) return "";
        throw error;
      }
    },
  };
}

/** sprig's functions on any value: defaults, types, JSON (Masterminds/sprig defaults.go, reflect.go). */
export const defaultFunctions: GoFunctions = {
  default: defineRest(["any"], "any", ([otherwise], [value]) => (isEmpty(value) ? otherwise : value)),
  empty: define(["any"], ([value]) => isEmpty(value)),
  coalesce: defineRest([], "any", (_none, values) => values.find((one) => !isEmpty(one)) ?? null),
  all: defineRest([], "any", (_none, values) => !values.some(isEmpty)),
  any: defineRest([], "any", (_none, values) => values.some((one) => !isEmpty(one))),
  ternary: define(["any", "any", "bool"], ([yes, no, isMet]) => (isMet ? yes : no)),
  deepEqual: define(["any", "any"], ([left, right], { spend }) => isDeepEqual(left, right, spend)),
  typeOf: define(["any"], ([value]) => typeName(value)),
  typeIs: define(["string", "any"], ([name, value]) => typeName(value) === name),
  typeIsLike: define(["string", "any"], ([name, value]) => [name, `*${name}`].includes(typeName(value))),
  kindOf: define(["any"], ([value]) => kindName(value)),
  kindIs: define(["string", "any"], ([name, value]) => kindName(value) === name),
  fromJson: define(["string"], ([text], { spend }) => {
    spend(text.length);
    try {
      return toValue(parseJson(text));
    } catch {
      return null; // as sprig: who wants the problem calls mustFromJson
    }
  }),
  mustFromJson: define(["string"], ([text], { spend }) => {
    spend(text.length);
    return toValue(parseJson(text));
  }),
  toJson: orNothing(json),
  mustToJson: json,
  toPrettyJson: orNothing(prettyJson),
  mustToPrettyJson: prettyJson,
  ...alsoMust({
    toRawJson: define(["any"], ([value], { spend }) => printJson(value, { spend, isRaw: true })),
    deepCopy,
  }),
};

/** What stands for nothing: as for `if`, but a structure is none. */
export const isEmpty = (value: Value): boolean => !isTrue(value);

function copied(value: Value, spend: Spend): Value {
  spend(1);
  if (value instanceof GoList)
    return new GoList(
      value.items.map((one) => copied(one, spend)),
      value.element,
      { capacity: value.capacity },
    );
  if (!(value instanceof GoMap)) return value ?? null;
  return new GoMap(
    [...value.entries].map(([key, one]) => [key, copied(one, spend)]),
    value.element,
  );
}
