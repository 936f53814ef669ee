import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { GlobalValues } from "../command.ts";
import type { Io } from "../io.ts";

/** The folder of argocd's own settings (util/localconfig DefaultConfigDir): the older one goes first while it is there. */
export async function configFolder({ env, home }: Pick<Io, "env" | "home">): Promise<string> {
  if (env.ARGOCD_CONFIG_DIR) return env.ARGOCD_CONFIG_DIR;
  const older = join(home, ".argocd");
  if (await isThere(older)) return older;
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "argocd");
}

/** One file for both commands: whoever is logged in with the one is logged in with the other. */
export async function configPath(io: Pick<Io, "env" | "home">, { config }: GlobalValues): Promise<string> {
  return config || join(await configFolder(io), "config");
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
