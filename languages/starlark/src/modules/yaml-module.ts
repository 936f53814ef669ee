import { fromValue, printYaml, readYaml, toValue } from "@capstan/krm-yaml";
import { native } from "../builtins/arguments.ts";
import { fromData, toData } from "../script-data.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { spend } from "../values/steps.ts";
import { toBytes, toText } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";

/** qri-io/starlib encoding/yaml. */
export const yamlModule = new Module("yaml", [
  ["loads", native("loads", (args) => load(args.fit("source").text(0)))],
  [
    "dumps",
    native("dumps", (args) => {
      const root = fromValue(toData(args.fit("source").value(0)), { isSorted: true });
      return toBytes(printYaml({ root }, { seqIndent: "compact" }));
    }),
  ],
]);

/** The first document. */
function load(source: string): Value {
  spend(source.length >> 2);
  try {
    const [document] = readYaml("yaml", toText(source));
    return document ? fromData(toValue(document.root)) : null;
  } catch (error) {
    throw new StarlarkError(`yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}
