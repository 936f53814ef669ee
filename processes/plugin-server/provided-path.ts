import { delimiter, join } from "node:path";
import { providedTools } from "@capstan/plugins";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** PATH for plugins' commands: what is installed, then the programs that come with Capstan. */
export async function providedPath(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const tools = await providedTools(env, { node: process.execPath, program });
  return [env.PATH ?? "/usr/local/bin:/usr/bin:/bin", tools].join(delimiter);
}
