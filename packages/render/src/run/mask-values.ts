import { createHmac, randomBytes } from "node:crypto";
import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";

/** Of this process alone: a digest tells nobody which value it is of, but equal values have equal digests. */
const key = randomBytes(32);

/**
 * Manifests as they can be shown when stages have put secrets into them: every text and number that is not in
 * `open`, where no secret had been yet, at the same place gives way to a keyed digest.
 */
export function maskValues(manifests: readonly Manifest[], open: readonly Manifest[]): Manifest[] {
  const known = new Map(open.map((manifest) => [nameOf(manifest), manifest]));
  return manifests.map((manifest) => {
    const { apiVersion, kind, metadata } = manifest;
    const { name, namespace } = metadata;
    const shown = mask(manifest, known.get(nameOf(manifest)));
    const names = { ...(name === undefined ? {} : { name }), ...(namespace ? { namespace } : {}) };
    const shownMetadata = isRecord(shown) && isRecord(shown.metadata) ? shown.metadata : {};
    return {
      ...(isRecord(shown) ? shown : {}),
      apiVersion,
      kind,
      metadata: { ...shownMetadata, ...names },
    };
  });
}

/** The same places, told and not hidden, on manifests that go to the cluster as they are. */
export function markSecrets(
  manifests: readonly GeneratedManifest[],
  open: readonly Manifest[],
): GeneratedManifest[] {
  const known = new Map(open.map((manifest) => [nameOf(manifest), manifest]));
  return manifests.map((one) => ({
    ...one,
    secretPaths: pathsOf(one.manifest, known.get(nameOf(one.manifest)), []).filter(
      ([first, second]) =>
        first !== "apiVersion" &&
        first !== "kind" &&
        !(first === "metadata" && (second === "name" || second === "namespace")),
    ),
  }));
}

/** The manifests as they can be shown where their secret places are told. */
export function maskMarked(manifests: readonly GeneratedManifest[]): Manifest[] {
  return manifests.map(({ manifest, secretPaths = [] }) => {
    if (secretPaths.length === 0) return manifest;
    const copy = structuredClone(manifest);
    for (const path of secretPaths) hideAt(copy, path);
    return copy;
  });
}

function hideAt(value: unknown, [step, ...rest]: Path): void {
  if (step === undefined || !(isRecord(value) || Array.isArray(value))) return;
  const below: unknown = Reflect.get(value, step);
  if (rest.length > 0) hideAt(below, rest);
  else if (isHidden(below, undefined)) Reflect.set(value, step, hidden(below));
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, open: unknown, path: Path): Path[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      pathsOf(item, Array.isArray(open) ? open[index] : undefined, [...path, index]),
    );
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, item]) =>
      pathsOf(item, isRecord(open) ? open[name] : undefined, [...path, name]),
    );
  return isHidden(value, open) ? [path] : [];
}

function isHidden(value: unknown, open: unknown): boolean {
  return value !== open && value !== null && value !== undefined && typeof value !== "boolean";
}

function nameOf({ apiVersion, kind, metadata }: Manifest): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name ?? ""].join(" ");
}

function mask(value: unknown, open: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => mask(item, Array.isArray(open) ? open[index] : undefined));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        mask(item, isRecord(open) ? open[name] : undefined),
      ]),
    );
  return isHidden(value, open) ? hidden(value) : value;
}

function hidden(value: unknown): string {
  const digest = createHmac("sha256", key)
    .update(`${typeof value} ${String(value)}`)
    .digest("hex");
  return `++++++++ (${digest.slice(0, 8)})`;
}
