/** An image of a kustomization and what the application puts in its place. */
export interface ImageRow {
  readonly name: string;
  /** As it is without the override; absent where nothing of that name is known. */
  readonly original: string | undefined;
  /** The new reference; empty: none. */
  readonly override: string;
}

export function imageRows(originals: readonly string[], overrides: readonly string[]): ImageRow[] {
  const set = new Map(overrides.map((text) => [overriddenName(text), text]));
  const known = new Map(originals.map((text) => [referenceName(text), text]));
  return [...new Set([...known.keys(), ...set.keys()])].sort().map((name) => ({
    name,
    original: known.get(name),
    override: newReference(set.get(name)),
  }));
}

/** The list of overrides with one image's set to a reference, or taken out for an empty one. */
export function withImage(overrides: readonly string[], name: string, reference: string): string[] {
  const text = referenceName(reference) === name ? reference : `${name}=${reference}`;
  const at = overrides.findIndex((one) => overriddenName(one) === name);
  if (reference === "") return overrides.filter((_, index) => index !== at);
  return at < 0 ? [...overrides, text] : overrides.with(at, text);
}

function newReference(override: string | undefined): string {
  return override === undefined ? "" : override.slice(override.indexOf("=") + 1);
}

function overriddenName(override: string): string {
  const equals = override.indexOf("=");
  return equals < 0 ? referenceName(override) : override.slice(0, equals);
}

/** Without tag and digest; a port of a registry is no tag. */
function referenceName(reference: string): string {
  return reference.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
}
