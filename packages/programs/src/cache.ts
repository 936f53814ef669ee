import { tmpdir } from "node:os";
import { join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** CAPSTAN_CACHE, else the place that the XDG base directory specification names. */
export function cacheFolder(env: Env): string {
  if (env.CAPSTAN_CACHE) return env.CAPSTAN_CACHE;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "capstan");
  return env.HOME && env.HOME !== "/dev/null"
    ? join(env.HOME, ".cache", "capstan")
    : join(tmpdir(), "capstan-cache");
}

/**
 * Of the cache folder what commands may see: programs, not packages or images of applications. One folder, because
 * each that a sandbox shows is a mount more for each command.
 */
export function toolFolder(env: Env): string {
  return join(cacheFolder(env), "programs");
}

/** All that commands may see of programs that come along. */
export function toolFolders(env: Env): string[] {
  return [toolFolder(env), ...(env.CAPSTAN_TOOLS ? [env.CAPSTAN_TOOLS] : [])];
}

/** Where `capstan tools install` puts the official builds. */
export function installedTools(env: Env): string {
  return join(toolFolder(env), "official");
}
