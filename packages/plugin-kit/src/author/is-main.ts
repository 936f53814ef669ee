import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether Node was started with this very file: `import.meta.main` for Nodes before 24.2, too. */
export function isMain(meta: { readonly url: string; readonly main?: boolean }): boolean {
  if (meta.main !== undefined) return meta.main;
  const [, started] = process.argv;
  if (started === undefined) return false;
  try {
    return realpathSync(started) === realpathSync(fileURLToPath(meta.url));
  } catch {
    return false; // it was started in another way than by a file, as with --eval
  }
}
