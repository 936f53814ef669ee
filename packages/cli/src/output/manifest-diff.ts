import { dumpYaml } from "@capstan/formats/yaml";
import { groupOf, type Manifest } from "@capstan/model";
import type { Paint } from "./paint.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** What differs between two sets of manifests, object by object; empty when nothing does. */
export function manifestDiff(
  before: readonly Manifest[],
  after: readonly Manifest[],
  { names, paint }: { names: readonly [string, string]; paint: Paint },
): string {
  const [left, right] = [textsByObject(before), textsByObject(after)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((object) => {
      const diff = unifiedDiff(left.get(object) ?? "", right.get(object) ?? "", { names, paint });
      return diff === "" ? "" : `${paint("bold", `===== ${object} ======`)}\n${diff}`;
    })
    .join("");
}

/** "created 1, changed 2, removed 0" in short; empty when nothing differs. */
export function countChanges(before: readonly Manifest[], after: readonly Manifest[]): string {
  const [left, right] = [textsByObject(before), textsByObject(after)];
  const added = [...right.keys()].filter((object) => !left.has(object)).length;
  const removed = [...left.keys()].filter((object) => !right.has(object)).length;
  const changed = [...right].filter(([object, text]) => left.has(object) && left.get(object) !== text).length;
  const parts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
  ] as const;
  return parts.flatMap(([count, word]) => (count > 0 ? `${count} ${word}` : [])).join(", ");
}

/** Objects of one name, which a cluster would not take, stand below each other. */
function textsByObject(manifests: readonly Manifest[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const object = `${groupOf(apiVersion)}/${kind} ${metadata.namespace ?? ""}/${metadata.name ?? metadata.generateName ?? ""}`;
    const text = dumpYaml(manifest);
    texts.set(object, texts.has(object) ? `${texts.get(object)}---\n${text}` : text);
  }
  return texts;
}
