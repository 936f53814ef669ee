import { delimiter, join } from "node:path";
import { providedTools, toolFolders } from "@capstan/programs";

const ownFolder = join(import.meta.dirname, "..", "..");
const program = join(ownFolder, "bin", "capstan.js");

/** PATH for plugins' commands: what is installed, then the programs that come with Capstan. */
export async function providedPath(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const tools = await providedTools(env, { node: process.execPath, program });
  return [env.PATH ?? "/usr/local/bin:/usr/bin:/bin", tools].join(delimiter);
}

/** Files and folders that these programs consist of. */
export function comingAlong(env: Readonly<Record<string, string | undefined>>): string[] {
  const own = ["bin", "packages", "processes", "node_modules", "package.json"].map((name) =>
    join(ownFolder, name),
  );
  return [...own, ...toolFolders(env)];
}
