import { withDefaults } from "../schema/defaults.ts";
import type { OtherVersions } from "../schema/merge/comparisons.ts";
import { pruneUnknown } from "../schema/prune.ts";
import type { KubeObject } from "../types.ts";
import { versionsOf } from "./crd-resources.ts";
import { apiVersionOf, type CustomConversion, type Served } from "./served.ts";

/**
 * An object of the store in the version that was asked for. CRDs convert by strategy None, where only apiVersion
 * differs, or by a webhook: what is still to be asked throws (Pending).
 */
export function fromStored(served: Served, stored: KubeObject): KubeObject {
  const { apiVersion } = served;
  const isOther = stored.apiVersion !== apiVersion;
  if (isOther && served.conversion !== undefined)
    return converted(served.conversion, completed(served, stored), apiVersion);
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

/**
 * The same object, where it was written since its definition was, in its only version: all of it is pruned, defaulted
 * and valid by the schema of today. What a change of it leaves as it is need not be looked at again.
 */
export function knownToFit(served: Served, stored: KubeObject): KubeObject | undefined {
  const { crd, conversion } = served;
  const isSure =
    crd !== undefined &&
    conversion === undefined &&
    versionsOf(crd).length === 1 &&
    !isOlderThanSchema(served, Number(stored.metadata.resourceVersion));
  return isSure ? stored : undefined;
}

/** The inverse: what the store keeps. */
export function toStored(served: Served, object: KubeObject): KubeObject {
  const { info } = served;
  const storageVersion = apiVersionOf(info.group, info.storageVersion);
  if (served.conversion !== undefined) return convertedToStore(served, object, storageVersion);
  const conversion = served.rules.conversions?.[info.version];
  if (conversion !== undefined) return conversion.toStored(object);
  if (info.version === info.storageVersion) return object;
  return { ...object, apiVersion: storageVersion };
}

export function inVersion(from: Served, to: Served, object: KubeObject): KubeObject {
  if (from === to || from.apiVersion === to.apiVersion) return object;
  if (to.conversion !== undefined) return converted(to.conversion, object, to.apiVersion);
  return fromStored(to, toStored(from, object));
}

/**
 * What the writer is told: the new state as it will be read. Before anything is written it is known how it is stored
 * and read, so that no answer is waited for in between.
 */
export function asWritten(served: Served, object: KubeObject): KubeObject {
  if (served.conversion === undefined) return object;
  return fromStored(served, toStored(served, object));
}

/** Asks at once for all that reading these takes. */
export function prepareReading(served: Served, stored: readonly KubeObject[]): void {
  if (served.conversion === undefined) return;
  const others = stored.filter(({ apiVersion }) => apiVersion !== served.apiVersion);
  served.conversion.prepare(
    others.map((object) => completed(served, object)),
    served.apiVersion,
  );
}

/** Reading adds the defaults of the stored version, so that they may as well be stored. */
function convertedToStore(served: Served, object: KubeObject, apiVersion: string): KubeObject {
  const { conversion, defaults } = served;
  if (conversion === undefined || object.apiVersion === apiVersion) return object;
  return withDefaults(conversion.schema(apiVersion), defaults, converted(conversion, object, apiVersion));
}

/** For owners of fields who wrote in another version; undefined where versions differ by their name alone. */
export function otherVersions({ conversion, crd, info }: Served): OtherVersions | undefined {
  if (conversion === undefined || crd === undefined) return undefined;
  const names = new Set(versionsOf(crd).map(({ name }) => `${info.group}/${name}`));
  return {
    of: (object, apiVersion) =>
      names.has(apiVersion)
        ? { schema: conversion.schema(apiVersion), object: converted(conversion, object, apiVersion) }
        : undefined,
  };
}

/** What the schema of the new version does not have goes; it adds no defaults (apiextensions-apiserver crdConversionRESTOptionsGetter). */
function converted(conversion: CustomConversion, object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const found = conversion.convert(object, apiVersion);
  return conversion.isSimulated ? found : pruneUnknown(conversion.schema(apiVersion), found).object;
}

/** With the defaults of the version in which it is stored, where they came later. */
function completed(served: Served, stored: KubeObject): KubeObject {
  if (served.conversion === undefined || !isOlderThanSchema(served, Number(stored.metadata.resourceVersion)))
    return stored;
  const schema = served.conversion.schema(stored.apiVersion);
  return withDefaults(schema, served.defaults, pruneUnknown(schema, stored).object);
}
