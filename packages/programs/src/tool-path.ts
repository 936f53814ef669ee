import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { CapstanError } from "@capstan/model";
import { bundledTools } from "./bundled-tools.ts";

export type ToolName = "helm" | "kustomize" | "kubectl" | "opa";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where a tool is: on PATH, else among those that come with Capstan or that it was told to install. Kustomize then is a part of
 * kubectl, and ours is preferred to a kubectl on PATH, whose kustomize may be of any age.
 */
export async function toolPath(tool: ToolName, env: Env): Promise<string> {
  const installed = await onPath(tool, env);
  if (installed !== undefined) return installed;
  if (tool === "opa")
    throw new CapstanError({
      code: "TOOL_MISSING",
      tool,
      hint: "Install opa 1.0 or newer (https://www.openpolicyagent.org/docs/#1-download-opa) and put it on PATH",
    });
  const bundled = await bundledTools(env);
  if (bundled !== undefined) return join(bundled, tool === "helm" ? "helm" : "kubectl");
  const kubectl = tool === "kustomize" ? await onPath("kubectl", env) : undefined;
  if (kubectl !== undefined) return kubectl;
  throw new CapstanError({
    code: "TOOL_MISSING",
    tool,
    hint: `Install ${tool} and put it on PATH, or run: capstan tools install`,
  });
}

/** Makes the bundled tools ready, so that the first render need not wait for them. */
export async function prepareTools(env: Env = process.env): Promise<void> {
  await bundledTools(env);
}

export async function onPath(tool: string, env: Env): Promise<string | undefined> {
  const directories = (env.PATH ?? "").split(delimiter).filter((directory) => directory !== "");
  const files = directories.map((directory) => join(directory, tool));
  const areThere = await Promise.all(files.map(isExecutable));
  return files.find((_file, index) => areThere[index]);
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
