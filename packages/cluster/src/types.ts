import type { PodSession } from "./streams/session.ts";

/** The nouns that every part of the embedded cluster shares. No other package's types are used here. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time?: string;
  fieldsType: "FieldsV1";
  fieldsV1: Record<string, unknown>;
  subresource?: string;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  [field: string]: unknown;
}

/** An object as stored and served. Stored objects are deeply frozen in spirit: never changed in place. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface GroupVersionKind {
  group: string; // "" for the core group
  version: string;
  kind: string;
}

/** One served resource: a row of discovery. `subresources` holds for example "status", "scale", "log". */
export interface ResourceInfo extends GroupVersionKind {
  resource: string; // plural
  singular: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  verbs: readonly string[];
  subresources: readonly SubresourceInfo[];
  /** The version that objects are stored in; equal to `version` for all but CRDs with several versions. */
  storageVersion: string;
}

export interface SubresourceInfo {
  name: string; // "status", "scale", "log", "eviction", "binding", "token", …
  kind: string;
  group: string;
  version: string;
  verbs: readonly string[];
}

/**
 * An OpenAPI schema node as Kubernetes publishes it: $ref resolved lazily by whoever holds the document.
 * Field names are those of OpenAPI v3 and of CRD structural schemas.
 */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;
  nullable?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  [key: string]: unknown;
}

/** One cause of a 422, as in metav1.StatusCause. */
export interface FieldError {
  reason: string; // FieldValueRequired, FieldValueInvalid, FieldValueNotSupported, FieldValueForbidden, FieldValueDuplicate, …
  field: string; // "spec.template.spec.containers[0].name"
  message: string; // "Invalid value: …" as kube-apiserver words it
}

/** A failure that becomes a metav1.Status answer. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: readonly (Pick<FieldError, "message"> & Partial<FieldError>)[];
  retryAfterSeconds?: number;
}

/** Thrown anywhere below the listener; translated to a Status object in one place. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  constructor(
    code: number,
    reason: string,
    ...[message, details]: [message: string, details?: StatusDetails]
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

/** A request to the cluster, with or without a socket below it. `url` is path and query. */
export interface ApiRequest {
  method: string;
  url: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The connection below may become a stream both ways: the answer may be 101 with a session. */
  canUpgrade?: true;
  signal: AbortSignal;
}

/** `body` is a whole text, or pieces for watches and followed logs. */
export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
  /** With status 101, where canUpgrade was said. */
  session?: PodSession;
}

export interface WatchEvent<T extends KubeObject = KubeObject> {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: T;
}

/**
 * What the simulated controllers see of the store: reads from memory, writes through the same admission,
 * defaulting, validation and optimistic locking as any client. `type` is "<group>/<resource>",
 * "/pods" for the core group.
 */
export interface Objects {
  get<T extends KubeObject>(type: string, namespace: string, name: string): T | undefined;
  list<T extends KubeObject>(type: string, namespace?: string): readonly T[];
  /** Those of a type in the order of their last change; none of them is read for it. */
  namesOf(type: string): readonly { namespace: string; name: string }[];
  /** Objects that name `uid` as an owner. */
  ownedBy(uid: string): readonly KubeObject[];
  create<T extends KubeObject>(type: string, object: T): Promise<T>;
  /** Fails with ApiError 409 Conflict when `metadata.resourceVersion` is old. */
  update<T extends KubeObject>(type: string, object: T, subresource?: "status" | "binding"): Promise<T>;
  delete(
    type: string,
    namespace: string,
    name: string,
    options?: {
      uid?: string;
      propagation?: "Background" | "Foreground" | "Orphan";
      gracePeriodSeconds?: number;
    },
  ): Promise<void>;
  /** Called after each committed change, in order. Returns the function that ends it. */
  subscribe(type: string, listener: (event: WatchEvent) => void): () => void;
  /** Every known resource, for controllers that treat all kinds alike (garbage collector). */
  resources(): readonly ResourceInfo[];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Enough to treat a parsed document as an object; what the fields hold is the schema's affair. */
export function isKubeObject(value: unknown): value is KubeObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    typeof value.kind === "string" &&
    isRecord(value.metadata)
  );
}
