/** A door of its own: who starts a thread or a program of Node waits for nothing else. */
import module from "node:module";
import { dirname } from "node:path";

/**
 * Variables for a thread or a program of Node: what this process has compiled it need not compile again. Without them it
 * loads Node's TypeScript compiler, which is half of a program's start and most of a thread's.
 */
export function sharedCompileCache(): Record<string, string> {
  // Not before Node 22.1.
  const directory = module.getCompileCacheDir?.();
  // Below the folder that is asked for, one for each version of Node.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
