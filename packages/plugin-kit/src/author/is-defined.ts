import { isRecord } from "@capstan/formats";
import type { DefinedPlugin } from "./define-plugin.ts";

/** What `definePlugin` gives, also that of another copy of the kit. */
export function isDefined(value: unknown): value is DefinedPlugin {
  return isRecord(value) && isRecord(value.definition) && typeof value.definition.name === "string";
}

/** What is wrong with a file that exports something else. */
export const notDefined = "it must export what definePlugin gives as default";
