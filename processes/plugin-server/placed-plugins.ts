import { delimiter, dirname, join } from "node:path";
import type { Log } from "@capstan/plugin-kit";
import {
  type CommandSettings,
  commandPlugin,
  type PlacedPlugin,
  type PluginFile,
  readPluginFiles,
  socketFile,
} from "@capstan/plugin-kit/server";
import type { PluginServerOptions } from "./options.ts";

export interface ConfiguredPlugins {
  plugins: PlacedPlugin[];
  /** Equal digests, nothing to do. */
  text: string;
}

/** The plugins of the configuration directory, each at its address. */
export async function readPlacedPlugins(
  flags: PluginServerOptions,
  settings: CommandSettings,
  log: Log,
): Promise<ConfiguredPlugins> {
  const files = await readPluginFiles(flags.configDir, { mayLack: flags.mayLack === true });
  for (const { file, warnings } of files)
    for (const warning of warnings) log.warn({ file }, `plugin configuration: ${warning}`);
  const plugins = files.flatMap((file) => placePlugin(file, flags, settings));
  return { plugins, text: JSON.stringify(files) };
}

function placePlugin(
  { config, file: from }: PluginFile,
  flags: PluginServerOptions,
  settings: CommandSettings,
): PlacedPlugin[] {
  const { metadata, spec } = config;
  // Scripts beside the file are found by their names, as while developing.
  const folder = dirname(from);
  const env = { ...settings.env, PATH: `${folder}${delimiter}${settings.env.PATH ?? ""}` };
  const readable = [folder, ...(settings.readable ?? [])];
  const plugin = commandPlugin(config, { ...settings, env, readable });
  const file = socketFile({ name: metadata.name, version: spec.version ?? "" });
  const own = spec.listenAddress || `unix://${join(flags.socketDir, file)}`;
  const addresses = new Set([own, ...(flags.listen === undefined ? [] : [flags.listen])]);
  return [...addresses].map((address) => ({ plugin, address }));
}
