import { delimiter, join } from "node:path";
import { providedTools, toolFolders } from "@capstan/programs";
import { ownFiles } from "../own-files.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** PATH for plugins' commands: what is installed, then the programs that come with Capstan. */
export async function providedPath(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const tools = await providedTools(env, { node: process.execPath, program });
  return [env.PATH ?? "/usr/local/bin:/usr/bin:/bin", tools].join(delimiter);
}

/** Files and folders that these programs consist of. */
export function comingAlong(env: Readonly<Record<string, string | undefined>>): string[] {
  return [...ownFiles, ...toolFolders(env)];
}
