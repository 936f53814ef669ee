import type { RegisteredFunctionHandler } from "@marcbachmann/cel-js";

/** Handlers by signature, as the library reads it: "string.find(string): string". */
export type Functions = Readonly<Record<string, RegisteredFunctionHandler>>;

/** CEL counts code points. */
export function letters(text: string): string[] {
  return [...text];
}

/** Lists that are sets in their schema are sets here. */
export function itemsOf<T>(list: Iterable<T>): T[] {
  return [...list];
}
