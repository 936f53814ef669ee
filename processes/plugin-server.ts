/** `capstan plugin-server`: plugins as sidecars and services. Composes, says where it listens, and waits. */
import { isCapstanError } from "@capstan/model";
import { readPluginServerFlags, UsageError, usage } from "./plugin-server/options.ts";
import { providedPath } from "./plugin-server/provided-path.ts";
import { servePlugins } from "./plugin-server/serve-plugins.ts";
import { createLog } from "./up/log.ts";

/** Runs until SIGINT or SIGTERM; the result is the exit code. */
export async function runPluginServer(argv: readonly string[]): Promise<number> {
  try {
    const flags = readPluginServerFlags(argv, process.env);
    if (flags === "help") process.stdout.write(usage);
    else {
      const stopping = new AbortController();
      for (const name of ["SIGINT", "SIGTERM"] as const)
        process.once(name, () => stopping.abort(new Error("stopped")));
      const log = createLog({ format: flags.logFormat, level: flags.logLevel, now: Date.now });
      const env = { ...process.env, PATH: await providedPath(process.env) };
      await servePlugins(flags, { env, log, signal: stopping.signal });
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !isCapstanError(error)) throw error;
    process.stderr.write(`capstan plugin-server: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
