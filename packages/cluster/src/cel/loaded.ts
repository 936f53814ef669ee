import { createRequire } from "node:module";
import type * as Cel from "./cel.ts";

let loaded: typeof Cel | undefined;

/** The Common Expression Language: read from disk when the first expression comes, as most clusters have none. */
export function cel(): typeof Cel {
  if (loaded !== undefined) return loaded;
  const found: typeof Cel = createRequire(import.meta.url)("./cel.ts");
  loaded = found;
  return found;
}
