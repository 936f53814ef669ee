import type { Value } from "../values/value.ts";

/** The libraries that kpt's function loads by name (functions/go/starlark, loadlib.go). */
export function loadModule(_name: string): ReadonlyMap<string, Value> | undefined {
  return undefined;
}
