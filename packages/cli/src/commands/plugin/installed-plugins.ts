import { existsSync } from "node:fs";
import type { PluginSummary } from "@capstan/wire";
import type { Invocation } from "../../command.ts";
import { openLocalPlugin } from "./local-plugin.ts";
import { openLocalRender } from "./local-render.ts";

export const installedFlags = {
  "socket-dir": {
    kind: "string",
    help: "Those whose sockets are in this folder, instead of a running Capstan's",
    value: "DIR",
  },
  output: { kind: "string", short: "o", help: "Output format", choices: ["wide", "json", "yaml"] },
} as const;

/** Those of a running Capstan, of a folder of sockets, or the one of a plugin's directory. */
export async function installedPlugins(
  { flags, io, api }: Pick<Invocation<typeof installedFlags>, "flags" | "io" | "api">,
  directory?: string,
): Promise<readonly PluginSummary[]> {
  const isLocal = directory !== undefined && existsSync(directory);
  if (!isLocal && flags["socket-dir"] === undefined)
    return (await (await api()).call("listPlugins", {})).plugins;
  await using opened = new AsyncDisposableStack();
  const plugin = isLocal ? opened.use(await openLocalPlugin(directory, io)) : undefined;
  const sockets = plugin?.sockets ?? flags["socket-dir"];
  const renderer = opened.use(await openLocalRender({ io, folder: ".", url: "file://.", sockets }));
  const all = await renderer.plugins();
  return plugin ? all.filter(({ name }) => name === plugin.name) : all;
}
