import { isRecord, parseBoundedJson, stringifyJson } from "@capstan/formats";
import { annotationKeys, foldStringData, groupOf, type Manifest } from "@capstan/model";

/** Stands where a secret is not shown. */
export const mask = "++++++++";
const maskStep = "++++";

export function isSecret(manifest: Manifest): boolean {
  return manifest.kind === "Secret" && groupOf(manifest.apiVersion) === "";
}

/** Names of annotations of Secrets that are hidden too (resource.sensitive.mask.annotations). */
type HiddenAnnotations = readonly string[];

/** By name: each value that was met, and what stands in its place. */
type Replacements = Map<string, Map<unknown, string>>;

interface Masks {
  readonly data: Replacements;
  readonly annotations: Replacements;
  readonly hidden: HiddenAnnotations;
}

/**
 * Copies of Secrets that can be shown: every value becomes a row of plus signs, longer for each further value, so
 * that a change shows and equal values look equal (gitops-engine pkg/diff HideSecretData). The masks of one call
 * belong together: give all versions of a Secret at once.
 */
export function maskSecrets(
  hidden: HiddenAnnotations,
  versions: readonly (Manifest | undefined)[],
): (Manifest | undefined)[] {
  const masks: Masks = { data: new Map(), annotations: new Map(), hidden };
  return versions.map((version) =>
    version === undefined || !isSecret(version) ? version : maskSecret(version, masks),
  );
}

function maskSecret(secret: Manifest, masks: Masks): Manifest {
  const folded = foldStringData(secret);
  const masked: Manifest = { ...folded };
  if (isRecord(folded.data)) masked.data = maskValues(folded.data, masks.data);
  const { annotations } = folded.metadata;
  if (annotations === undefined) return masked;
  const shown: { [name: string]: string } = maskAnnotations(annotations, masks);
  const text = annotations[annotationKeys.lastApplied];
  if (text !== undefined && !masks.hidden.includes(annotationKeys.lastApplied))
    shown[annotationKeys.lastApplied] = maskApplied(text, masks);
  return { ...masked, metadata: { ...folded.metadata, annotations: shown } };
}

function maskAnnotations<Value>(
  annotations: { [name: string]: Value },
  masks: Masks,
): { [name: string]: Value | string } {
  const hidden = Object.entries(annotations).filter(([name]) => masks.hidden.includes(name));
  return { ...annotations, ...maskValues(Object.fromEntries(hidden), masks.annotations) };
}

function maskValues(
  values: { [name: string]: unknown },
  replacements: Replacements,
): { [name: string]: string } {
  const shown: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(values)) {
    const known = replacements.get(name) ?? new Map<unknown, string>();
    replacements.set(name, known);
    const text = known.get(value) ?? mask + maskStep.repeat(known.size);
    known.set(value, text);
    shown[name] = text;
  }
  return shown;
}

function maskApplied(text: string, masks: Masks): string {
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return mask; // not JSON: could hold anything
    throw error;
  }
  if (!isRecord(value)) return mask;
  const folded = foldStringData({ ...value, apiVersion: "v1", kind: "Secret", metadata: {} });
  const { stringData: _text, ...rest } = value;
  return stringifyJson({
    ...rest,
    ...(rest.metadata === undefined ? {} : { metadata: maskMetadata(rest.metadata, masks) }),
    ...(isRecord(folded.data) ? { data: maskValues(folded.data, masks.data) } : {}),
  });
}

function maskMetadata(metadata: unknown, masks: Masks): unknown {
  if (!isRecord(metadata) || !isRecord(metadata.annotations)) return metadata;
  return { ...metadata, annotations: maskAnnotations(metadata.annotations, masks) };
}
