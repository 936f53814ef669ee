/**
 * Go's collector first runs at 4 MB of heap, which helm and kustomize pass several times in the 50 ms that they live:
 * at 16 MB they take a tenth less time (bench/renderers.ts). https://pkg.go.dev/runtime/debug#SetGCPercent
 */
const briefGoGc = "400";

/** What programs may have of this process: git's settings, so that remote bases are found as repositories are. */
export function toolEnv(
  git: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const taken: Record<string, string> = { ...git, GOGC: env.GOGC ?? briefGoGc };
  for (const name of [
    "HOME",
    "CAPSTAN_CACHE",
    "CAPSTAN_TOOLS",
    "XDG_CACHE_HOME",
    "CAPSTAN_UNCONFINED_COMMANDS",
  ]) {
    const value = env[name];
    if (value !== undefined) taken[name] = value;
  }
  return taken;
}

export function withPath(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> & { PATH: string } {
  return { ...env, PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin" };
}
