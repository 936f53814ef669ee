import { isRecord, parseBoundedJson, stringifyJson } from "@capstan/formats";
import { annotationKeys, foldStringData, groupOf, type Manifest } from "@capstan/model";

/** Stands where a secret is not shown. */
export const mask = "++++++++";
const maskStep = "++++";

export function isSecret(manifest: Manifest): boolean {
  return manifest.kind === "Secret" && groupOf(manifest.apiVersion) === "";
}

/**
 * Copies of Secrets that can be shown: every value becomes a row of plus signs, longer for each further value, so
 * that a change shows and equal values look equal (gitops-engine pkg/diff HideSecretData). The masks of one call
 * belong together: give all versions of a Secret at once.
 */
export function maskSecrets(...versions: (Manifest | undefined)[]): (Manifest | undefined)[] {
  const masks = new Map<string, Map<unknown, string>>();
  return versions.map((version) =>
    version === undefined || !isSecret(version) ? version : maskSecret(version, masks),
  );
}

function maskSecret(secret: Manifest, masks: Map<string, Map<unknown, string>>): Manifest {
  const folded = foldStringData(secret);
  const masked: Manifest = { ...folded };
  if (isRecord(folded.data)) masked.data = maskData(folded.data, masks);
  const text = folded.metadata.annotations?.[annotationKeys.lastApplied];
  if (text === undefined) return masked;
  const annotations = {
    ...folded.metadata.annotations,
    [annotationKeys.lastApplied]: maskApplied(text, masks),
  };
  return { ...masked, metadata: { ...folded.metadata, annotations } };
}

function maskData(
  data: { [name: string]: unknown },
  masks: Map<string, Map<unknown, string>>,
): { [name: string]: string } {
  const shown: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(data)) {
    const known = masks.get(name) ?? new Map<unknown, string>();
    masks.set(name, known);
    const text = known.get(value) ?? mask + maskStep.repeat(known.size);
    known.set(value, text);
    shown[name] = text;
  }
  return shown;
}

function maskApplied(text: string, masks: Map<string, Map<unknown, string>>): string {
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
  return stringifyJson(isRecord(folded.data) ? { ...rest, data: maskData(folded.data, masks) } : rest);
}
