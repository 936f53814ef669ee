import { native } from "../builtins/arguments.ts";
import { Module } from "../values/callables.ts";
import { StarDict } from "../values/mappings.ts";
import type { Value } from "../values/value.ts";

/** What krm-functions-catalog adds of its own (functions/go/starlark/krmfn). */
export const krmfnModule = new Module("krmfn", [
  [
    "match_gvk",
    native("match_gvk", (args) => {
      const [apiVersion, kind] = [args.take(3).text(1), args.text(2)];
      return field(args.value(0), ["apiVersion"]) === apiVersion && field(args.value(0), ["kind"]) === kind;
    }),
  ],
  [
    "match_name",
    native("match_name", (args) => {
      const name = args.take(2).text(1);
      return field(args.value(0), ["metadata", "name"]) === name;
    }),
  ],
  [
    "match_namespace",
    native("match_namespace", (args) => {
      const namespace = args.take(2).text(1);
      return field(args.value(0), ["metadata", "namespace"]) === namespace;
    }),
  ],
]);

/** The empty string where there is no such field. */
function field(object: Value, path: readonly string[]): Value {
  let value: Value | undefined = object;
  for (const name of path) value = value instanceof StarDict ? value.get(name) : undefined;
  return value ?? "";
}
