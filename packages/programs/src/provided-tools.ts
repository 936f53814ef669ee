import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundledTools, isThere } from "./bundled-tools.ts";
import { toolFolder } from "./cache.ts";
import { helmForKustomize } from "./helm-for-kustomize.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { toolPath } from "./tool-path.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How Capstan is started: `node`, then its program. */
export interface OwnProgram {
  readonly node: string;
  readonly program: string;
}

/**
 * Folder with the programs that plugins' commands may expect and that Capstan brings: `argocd-vault-plugin`, and on
 * linux-x64 `kustomize` and `helm`. It belongs at the end of PATH, so that what is installed is preferred.
 */
export async function providedTools(env: Env, own: OwnProgram): Promise<string> {
  const scripts = await launchers(env, own);
  const digest = hash("sha256", JSON.stringify(scripts)).slice(0, 12);
  const folder = join(toolFolder(env), `tools-${digest}`);
  if (await isThere(folder)) return folder;
  const fresh = `${folder}.${randomUUID()}.new`;
  await mkdir(fresh, { recursive: true });
  for (const [name, lines] of Object.entries(scripts))
    await writeFile(join(fresh, name), `${["#!/bin/sh", ...lines].join("\n")}\n`, { mode: 0o755 });
  await rename(fresh, folder).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!(await isThere(folder))) throw error;
  });
  return folder;
}

async function launchers(env: Env, { node, program }: OwnProgram): Promise<Record<string, string[]>> {
  const self = `${quoteForShell(node)} ${quoteForShell(program)}`;
  const vault = { "argocd-vault-plugin": [`exec ${self} vault-plugin "$@"`] };
  const bundled = await bundledTools(env);
  if (bundled === undefined) return vault;
  const kubectl = quoteForShell(join(bundled, "kubectl"));
  const helm = await toolPath("helm", env);
  const forKustomize = quoteForShell(await helmForKustomize(helm, toolFolder(env)));
  return {
    ...vault,
    helm: [`exec ${quoteForShell(helm)} "$@"`],
    kustomize: [
      'case "$1" in',
      `  build) shift; exec ${kubectl} kustomize --helm-command ${forKustomize} "$@" ;;`,
      `  version) ${kubectl} version --client | sed -n 's/^Kustomize Version: //p'; exit ;;`,
      "esac",
      `exec ${self} kustomize "$@"`,
    ],
  };
}
