import { isRecord } from "@capstan/formats";
import type { AskNeeds } from "./ask-needs.ts";

/**
 * The texts of a ConfigMap that a generator names, always one of the control namespace (as in Argo CD): only whoever
 * writes there says which servers are asked and which kinds are read. One that lacks a field answers as one that is
 * not there, so that names of that namespace cannot be found out.
 */
export async function readConfigMap<Field extends string>(
  { kube, controlNamespace: namespace }: Pick<AskNeeds, "kube" | "controlNamespace">,
  { name, needs }: { name: string; needs: readonly Field[] },
  signal: AbortSignal,
): Promise<Record<string, string> & Record<Field, string>> {
  const found = await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name }, signal);
  const data = isRecord(found?.data) ? found.data : {};
  const texts = Object.fromEntries(
    Object.entries(data).flatMap(([field, text]) => (typeof text === "string" ? [[field, text.trim()]] : [])),
  );
  if (hasAll(texts, needs)) return texts;
  throw new Error(
    `there is no ConfigMap "${name}" with ${needs.join(" and ")} in the namespace ${namespace}`,
  );
}

function hasAll<Field extends string>(
  texts: Record<string, string>,
  needs: readonly Field[],
): texts is Record<string, string> & Record<Field, string> {
  return needs.every((field) => (texts[field] ?? "") !== "");
}
