import { isRecord } from "@capstan/formats";
import type { Static } from "./schema/schema.ts";
import {
  anyObject,
  boolean,
  integer,
  list,
  map,
  object,
  opaqueInCrd,
  optional,
  string,
  time,
} from "./schema/schema.ts";

export const ownerReferenceSchema = object({
  apiVersion: string(),
  kind: string(),
  name: string(),
  uid: string(),
  controller: optional(boolean()),
  blockOwnerDeletion: optional(boolean()),
});
export type OwnerReference = Static<typeof ownerReferenceSchema>;

export const managedFieldsEntrySchema = object({
  manager: optional(string()),
  operation: optional(string()),
  apiVersion: optional(string()),
  time: optional(string()),
  fieldsType: optional(string()),
  fieldsV1: optional(anyObject()),
  subresource: optional(string()),
});
export type ManagedFieldsEntry = Static<typeof managedFieldsEntrySchema>;

const objectMetaFields = {
  generateName: optional(string()),
  namespace: optional(string()),
  uid: optional(string()),
  resourceVersion: optional(string()),
  generation: optional(integer()),
  creationTimestamp: optional(time()),
  deletionTimestamp: optional(time()),
  deletionGracePeriodSeconds: optional(integer()),
  labels: optional(map(string())),
  annotations: optional(map(string())),
  finalizers: optional(list(string())),
  ownerReferences: optional(list(ownerReferenceSchema)),
  managedFields: optional(list(managedFieldsEntrySchema)),
};

/** Metadata of a manifest, which may have only a generateName. */
export const objectMetaSchema = opaqueInCrd(object({ name: optional(string()), ...objectMetaFields }));
export type ObjectMeta = Static<typeof objectMetaSchema>;

/** Metadata of an object that has a name: everything read from a cluster. */
export const namedMetaSchema = opaqueInCrd(object({ name: string(), ...objectMetaFields }));

/** Any Kubernetes object, as JSON. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Whether a value has the three fields that every Kubernetes object has. */
export function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    value.apiVersion !== "" &&
    typeof value.kind === "string" &&
    value.kind !== "" &&
    isRecord(value.metadata)
  );
}

type Said = Pick<Manifest["metadata"], "labels" | "annotations" | "finalizers">;

/** What of an object's metadata whoever writes it says, beside its name: what is left out stays out. */
export function saidMetadata({ labels, annotations, finalizers }: Said): Said {
  return {
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
}
