import { type DiffRules, normalize } from "@capstan/engine";
import { canonicalJson, isRecord } from "@capstan/formats";
import { annotationKeys, type Manifest } from "@capstan/model";

/** What of an object that a server answered counts. Labels and annotations may come to it as an empty map where there were none. */
export function comparable(object: Manifest, rules: DiffRules): string {
  const normal = normalize(withoutLastApplied(object), rules);
  const metadata = Object.entries(normal.metadata).filter(
    ([, value]) => !isRecord(value) || Object.keys(value).length > 0,
  );
  return canonicalJson({ ...normal, metadata: Object.fromEntries(metadata) });
}

function withoutLastApplied(object: Manifest): Manifest {
  const { annotations } = object.metadata;
  if (annotations?.[annotationKeys.lastApplied] === undefined) return object;
  const { [annotationKeys.lastApplied]: _, ...others } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: others } };
}
