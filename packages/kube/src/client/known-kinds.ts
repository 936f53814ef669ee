import type { ApiResource } from "./api-resource.ts";
import type { Discovery } from "./discovery.ts";

const kindMaps = new WeakMap<readonly ApiResource[], ReadonlyMap<string, ApiResource>>();

/** Kinds that the cluster served when it was last asked, by `group/Kind`. Made once for each answer. */
export function knownKinds({ known }: Pick<Discovery, "known">): ReadonlyMap<string, ApiResource> {
  const rows = known();
  const map = kindMaps.get(rows) ?? new Map(rows.map((row) => [`${row.group}/${row.kind}`, row]));
  kindMaps.set(rows, map);
  return map;
}
