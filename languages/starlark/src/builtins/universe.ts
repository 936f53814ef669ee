import type { Value } from "../values/value.ts";
import { natives } from "./arguments.ts";
import { collectionFunctions } from "./collection-functions.ts";
import { conversionFunctions } from "./conversion-functions.ts";
import { valueFunctions } from "./value-functions.ts";

/** What every script sees (go.starlark.net, starlark.Universe). */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...natives(collectionFunctions),
  ...natives(conversionFunctions),
  ...natives(valueFunctions),
]);
