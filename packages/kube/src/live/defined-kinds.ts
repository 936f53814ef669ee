import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import { listAt, recordAt, textAt } from "../read-json.ts";

/** Group and kind that a CustomResourceDefinition defines, as `group/kind`. */
export function definedKind(definition: Manifest): string {
  const spec = recordAt(definition, "spec");
  return `${textAt(spec, "group") ?? ""}/${textAt(recordAt(spec, "names"), "kind") ?? ""}`;
}

/**
 * Whether what a server says that it serves is older than its definitions: it tells of these at once, and serves a new
 * kind, or an old one no more, a moment later. `left` are kinds whose definition has gone.
 */
export function isBehind(
  rows: readonly ApiResource[],
  { definitions, left }: { definitions: readonly Manifest[]; left: ReadonlySet<string> },
): boolean {
  const served = new Set(rows.map(({ group, kind }) => `${group}/${kind}`));
  const defined = new Set(definitions.filter(isServed).map(definedKind));
  return (
    [...defined].some((kind) => !served.has(kind)) ||
    [...left].some((kind) => served.has(kind) && !defined.has(kind))
  );
}

function isServed({ metadata, ...definition }: Manifest): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const isEstablished = listAt(recordAt(definition, "status"), "conditions")
    .filter(isRecord)
    .some((one) => one.type === "Established" && one.status === "True");
  const versions = listAt(recordAt(definition, "spec"), "versions").filter(isRecord);
  return isEstablished && versions.some(({ served }) => served === true);
}
