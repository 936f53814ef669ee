import { groupOf, type Manifest } from "@capstan/model";

/**
 * What a sync would say of manifests that a plugin makes, of its author's mistakes: none at all, objects without a name,
 * one object twice. Undefined where all is well.
 */
export function problemWith(manifests: readonly Manifest[]): string | undefined {
  if (manifests.length === 0)
    return "no manifests: the plugin made nothing of these files (a sync of it would be refused, not prune)";
  const nameless = manifests.flatMap((one, index) => {
    const { name, generateName } = one.metadata;
    return name || generateName ? [] : [`${one.kind} (item ${index + 1})`];
  });
  if (nameless.length > 0) return `without metadata.name: ${listed(nameless)}`;
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { apiVersion, kind, metadata } of manifests) {
    if (!metadata.name) continue;
    const own = [groupOf(apiVersion), kind, metadata.namespace ?? "", metadata.name].join("/");
    if (seen.has(own))
      twice.add(`${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`);
    seen.add(own);
  }
  return twice.size > 0 ? `made more than once: ${listed([...twice])}` : undefined;
}

function listed(items: readonly string[]): string {
  const more = items.length > 3 ? ` and ${items.length - 3} more` : "";
  return `${items.slice(0, 3).join(", ")}${more}`;
}
