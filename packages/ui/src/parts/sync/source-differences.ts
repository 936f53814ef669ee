import type { ApplicationSource } from "@capstan/model";

/** One field of a source: what it is and what it becomes, as people write it; "" where it is not set. */
export interface SourceDifference {
  /** "helm.parameters.replicas"; with several sources "2: targetRevision". */
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Whatever differs between the sources of two deployments, parameters by their names, in the order of the names. */
export function sourceDifferences(
  before: readonly ApplicationSource[],
  after: readonly ApplicationSource[],
): SourceDifference[] {
  const several = Math.max(before.length, after.length) > 1;
  const found: SourceDifference[] = [];
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const left = leaves(before[index]);
    const right = leaves(after[index]);
    const fields = [...new Set([...left.keys(), ...right.keys()])].sort();
    for (const field of fields) {
      const [is = "", becomes = ""] = [left.get(field), right.get(field)];
      if (is !== becomes)
        found.push({ field: several ? `${index + 1}: ${field}` : field, before: is, after: becomes });
    }
  }
  return found;
}

/** Every value by its path. */
function leaves(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (value === undefined || value === null) return into;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      leaves(unnamed(item), `${path}.${nameOf(item) ?? index}`, into);
  } else if (typeof value === "object") {
    for (const [name, field] of Object.entries(value))
      leaves(field, path === "" ? name : `${path}.${name}`, into);
  } else into.set(path, String(value));
  return into;
}

/** Parameters, variables and patches are known by a name, not by their place in a list; an image by what is replaced. */
function nameOf(item: unknown): string | undefined {
  if (typeof item === "string") return /^([^=:@\s]+)[=:@]/.exec(item)?.[1];
  if (typeof item !== "object" || item === null || !("name" in item)) return undefined;
  return typeof item.name === "string" ? item.name : undefined;
}

/** `{name, value}` as its value. */
function unnamed(item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  const rest = Object.entries(item).filter(([name]) => name !== "name");
  const [only] = rest;
  return rest.length === 1 && only?.[0] === "value" && nameOf(item) !== undefined
    ? only[1]
    : Object.fromEntries(rest);
}
