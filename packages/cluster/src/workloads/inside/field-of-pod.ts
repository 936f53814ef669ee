import { textAt, valueAt } from "../../schema/json.ts";
import type { Pod } from "../kinds.ts";

/** The downward API's fieldPath (pkg/fieldpath ExtractFieldPathAsString, and what the kubelet resolves of spec and status). */
export function fieldOfPod(pod: Pod, path: string): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript) return textAt(pod.metadata, subscript[1] ?? "", subscript[2] ?? "");
  if (path === "metadata.labels" || path === "metadata.annotations") {
    const texts = Object.entries(pod.metadata[path === "metadata.labels" ? "labels" : "annotations"] ?? {});
    return texts
      .sort()
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join("\n");
  }
  const found = valueAt(pod, ...path.split("."));
  return typeof found === "string" ? found : "";
}
