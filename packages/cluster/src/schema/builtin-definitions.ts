import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Definitions } from "./resolved-schema.ts";

/** Where the generated files lie; see data/NOTICE for their source. */
export const dataFolder = join(import.meta.dirname, "data");

let definitions: Definitions | undefined;

/** The types of Kubernetes' own kinds, by name. */
export function builtinDefinitions(): Definitions {
  definitions ??= {
    byName: JSON.parse(readFileSync(join(dataFolder, "definitions.json"), "utf8")),
    nodes: new Map(),
  };
  return definitions;
}
