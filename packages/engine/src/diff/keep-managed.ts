import { isRecord, KeyIndex } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { type FieldSet, isManagedBy, readFieldSet } from "./field-set.ts";
import { findItem, keyNames, withDefaultKeys } from "./keyed-items.ts";

/**
 * The target with the live value of each field that one of the managers owns and that both have, status left out
 * (util/argo/managedfields Normalize, for a sync with RespectIgnoreDifferences).
 */
export function keepManaged(target: Manifest, live: Manifest, managers: ReadonlySet<string>): Manifest {
  const owned = managers.size === 0 ? undefined : readFieldSet(live);
  if (owned === undefined) return target;
  const kept: Manifest = { ...target };
  for (const [field, value] of Object.entries(target)) {
    if (field === "apiVersion" || field === "kind" || field === "metadata" || field === "status") continue;
    kept[field] = keep(value, { live: live[field], owned: owned.fields.get(field), managers });
  }
  kept.metadata = keepMetadata(target, live, { owned: owned.fields.get("metadata"), managers });
  return kept;
}

interface Managed {
  owned: FieldSet | undefined;
  managers: ReadonlySet<string>;
}

/** Which object it is stays as it is; of the rest, labels and annotations are what managers write. */
function keepMetadata({ metadata }: Manifest, live: Manifest, managed: Managed): Manifest["metadata"] {
  const kept = { ...metadata };
  for (const field of ["labels", "annotations"] as const) {
    const wanted = metadata[field];
    const there = live.metadata[field];
    const owned = managed.owned?.fields.get(field);
    if (wanted === undefined || there === undefined || owned === undefined) continue;
    const names = Object.keys(wanted).filter((name) => isManagedBy(owned.fields.get(name), managed.managers));
    const values = names.flatMap((name) => {
      const value = there[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    kept[field] = { ...wanted, ...Object.fromEntries(values) };
  }
  return kept;
}

function keep(target: unknown, { live, owned, managers }: Managed & { live: unknown }): unknown {
  if (owned === undefined || live === undefined || target === undefined) return target;
  if (isManagedBy(owned, managers)) return live;
  if (isRecord(target) && isRecord(live)) {
    const below = Object.entries(target).map(([name, value]) => [
      name,
      keep(value, { live: live[name], owned: owned.fields.get(name), managers }),
    ]);
    return Object.fromEntries(below);
  }
  if (!Array.isArray(target) || !Array.isArray(live)) return target;
  const names = keyNames(owned);
  if (names.length === 0) return target;
  const index = new KeyIndex(live, (item: unknown) => item);
  return target.map((item: unknown) => {
    if (!isRecord(item)) return item;
    const named = withDefaultKeys(names, item);
    const [match] = index.matching(names, named);
    return keep(item, { live: match, owned: findItem(owned, match)?.set, managers });
  });
}
