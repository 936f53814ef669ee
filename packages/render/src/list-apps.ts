import { type Plugin, parentOf, type SourceTree, walk } from "@capstan/plugin-kit";
import { toolOf } from "./choose/choose-plugin.ts";

/** Directories with the sign of a tool, as Argo CD's form for a new application offers them. */
export async function listApps(tree: SourceTree, tools: readonly Plugin[]): Promise<Record<string, string>> {
  const apps: Record<string, string> = {};
  for (const entry of await walk(tree, "")) {
    const tool = toolOf(entry.name, tools)?.tool;
    if (tool) apps[parentOf(entry.path) || "."] = tool.type;
  }
  return apps;
}
