import { fileURLToPath } from "node:url";
import { isWithin, relativeTo } from "../paths.ts";

/** V8's frames, and the line that Node puts before the stack of a syntax error; a query stands behind the file's name. */
const places = /(file:\/\/\/[^\s?)]+?|(?<=\()\/[^\s?)]+?|^\/[^\s?]+?)(?:\?[^\s:)]*)?:(\d+)(?::(\d+))?\)?$/;

/**
 * Where in an author's own files an error came from: `plugin.ts:12:7`, of the first frame that is below the folder and
 * in no package of others. Undefined where none is.
 */
export function authorPlace(error: unknown, folder: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const line of stack.split("\n")) {
    const [, where, row, column] = places.exec(line.trimEnd()) ?? [];
    const file = where?.startsWith("file:") ? fileURLToPath(where) : where;
    if (file === undefined || !isWithin(folder, file) || file.includes("/node_modules/")) continue;
    return [relativeTo(folder, file), row, column].filter(Boolean).join(":");
  }
  return undefined;
}
