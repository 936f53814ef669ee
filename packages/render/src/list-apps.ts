import { parentOf, type SourceTree, walk } from "@capstan/plugin-kit";
import { builtInSign } from "./choose/choose-plugin.ts";

const names = { helm: "Helm", kustomize: "Kustomize" } as const;

/** Directories with a chart or a kustomization, as Argo CD's form for a new application offers them. */
export async function listApps(tree: SourceTree): Promise<Record<string, string>> {
  const apps: Record<string, string> = {};
  for (const entry of await walk(tree, "")) {
    const sign = builtInSign(entry.name);
    if (sign) apps[parentOf(entry.path) || "."] = names[sign];
  }
  return apps;
}
