import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { socketFile } from "../served-plugin.ts";
import { argoSocketFolder, type ServeOptions } from "./serve-options.ts";

/** Where a plugin is served that says no address of its own: where it is told to, else at a sidecar's socket. */
export async function addressOf(
  plugin: Parameters<typeof socketFile>[0],
  { listen = process.env.CAPSTAN_PLUGIN_LISTEN, socketDir }: ServeOptions,
): Promise<string> {
  if (listen) return listen;
  const folder = resolve(socketDir ?? process.env.ARGOCD_PLUGINSOCKFILEPATH ?? argoSocketFolder);
  await mkdir(folder, { recursive: true });
  return `unix://${join(folder, socketFile(plugin))}`;
}
