import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";

/** group/Kind that a CRD defines. */
export function definedKind(manifest: Manifest): string | undefined {
  if (manifest.kind !== "CustomResourceDefinition") return undefined;
  const { spec } = manifest;
  if (!isRecord(spec) || !isRecord(spec.names)) return undefined;
  return `${String(spec.group)}/${String(spec.names.kind)}`;
}
