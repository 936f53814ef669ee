import { withDefaults } from "../schema/defaults.ts";
import { pruneUnknown } from "../schema/prune.ts";
import type { KubeObject } from "../types.ts";
import type { Served } from "./served.ts";

/** An object of the store in the version that was asked for. CRDs convert by strategy None: only apiVersion differs. */
export function fromStored(served: Served, stored: KubeObject): KubeObject {
  const { apiVersion } = served;
  const isOther = stored.apiVersion !== apiVersion;
  const conversion = served.rules.conversions?.[served.info.version];
  if (isOther && conversion !== undefined) return conversion.fromStored(stored);
  const object = isOther ? { ...stored, apiVersion } : stored;
  if (!isOlderThanSchema(served, Number(stored.metadata.resourceVersion))) return object;
  return withDefaults(served.schema(), served.defaults, pruneUnknown(served.schema(), object).object);
}

/** What was stored before its definition was written last may lack defaults, and have fields that went: reading mends both. */
export function isOlderThanSchema({ crd }: Served, revision: number): boolean {
  return crd !== undefined && revision < Number(crd.metadata.resourceVersion);
}

/** The inverse: what the store keeps. */
export function toStored(served: Served, object: KubeObject): KubeObject {
  const conversion = served.rules.conversions?.[served.info.version];
  if (conversion !== undefined) return conversion.toStored(object);
  if (served.info.version === served.info.storageVersion) return object;
  return { ...object, apiVersion: `${served.info.group}/${served.info.storageVersion}` };
}
