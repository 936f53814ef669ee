import { ExprError } from "../expr-error.ts";
import type { Value } from "../values/value.ts";
import { dateFunctions } from "./dates.ts";
import type { Caller, Definitions, Play } from "./definition.ts";
import { jsonFunctions } from "./json.ts";
import { listFunctions } from "./lists.ts";
import { numberFunctions } from "./numbers.ts";
import { textFunctions } from "./texts.ts";

const all: Definitions = {
  ...textFunctions,
  ...numberFunctions,
  ...listFunctions,
  ...jsonFunctions,
  ...dateFunctions,
};

/** Calls that take values (expr-lang builtin/builtin.go). */
export const functions: Readonly<Record<string, Play>> = Object.fromEntries(
  Object.entries(all).map(([name, { least, most, play }]) => [
    name,
    (values: readonly Value[], caller: Caller) => {
      if (values.length < least || values.length > most)
        throw new ExprError(`invalid number of arguments for ${name}: it got ${values.length}`);
      return play(values, caller);
    },
  ]),
);
