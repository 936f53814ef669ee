import { hash } from "node:crypto";
import { canonicalJson } from "@capstan/formats";
import type { Inputs, Plugin, RenderContext, SourceTree } from "@capstan/plugin-kit";

/** What a plugin says it depends on; one that says nothing depends on the whole repository and everything asked. */
export async function readInputs(plugin: Plugin, context: RenderContext): Promise<Inputs> {
  if (plugin.inputs) return plugin.inputs(context);
  const { source, appName, namespace, project, kubeVersion, apiVersions, env, path } = context;
  return {
    paths: [""],
    refs: Object.fromEntries(Object.keys(context.refs).map((name) => [name, [""]])),
    facts: { source, appName, namespace, project, kubeVersion, apiVersions, env, path },
  };
}

/** One text for everything that the output depends on. */
export async function digestInputs(plugin: Plugin, context: RenderContext, inputs: Inputs): Promise<string> {
  const lines = [
    plugin.name,
    // What one project may fetch, decrypt and read is not another's, though its files are the same.
    canonicalJson([context.project, context.secretStores?.digest ?? ""]),
    canonicalJson(inputs.facts),
    ...(await digestPaths(context.tree, inputs.paths)),
  ];
  for (const [name, paths] of Object.entries(inputs.refs)) {
    const tree = context.refs[name];
    if (tree) lines.push(`$${name}`, ...(await digestPaths(tree, paths)));
  }
  return hash("sha256", lines.join("\n"), "hex");
}

async function digestPaths(tree: SourceTree, paths: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const path of new Set(paths)) {
    const entry = await tree.entry(path);
    lines.push(`${path}\0${entry ? `${entry.kind} ${entry.digest}` : "absent"}`);
  }
  return lines;
}
