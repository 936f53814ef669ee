import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../command.ts";

const names = ["plugin.ts", "plugin.js", "plugin.mjs", "plugin.yaml"];

/** plugin.ts, or plugin.js, else plugin.yaml of a plugin's folder. */
export function findPluginFile(folder: string, shown: string): string {
  const name = names.find((one) => existsSync(join(folder, one)));
  if (name !== undefined) return join(folder, name);
  throw new UsageError(
    `${shown} holds neither plugin.ts nor plugin.yaml; begin one with: capstan plugin init ${shown}`,
  );
}

export function isProgram(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file);
}
