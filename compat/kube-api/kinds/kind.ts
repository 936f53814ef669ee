import { isObject, type JsonObject, merged } from "../script.ts";

/** One served kind, and the changes from which the cases are made. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly clusterWide?: boolean;
  /** All but apiVersion, kind and metadata. */
  readonly content: JsonObject;
  /** Where names follow a rule of their own. */
  readonly objectName?: string;
  /** A merge patch that is allowed on an existing object. */
  readonly change: JsonObject;
  /** A merge patch to what Go cannot decode, or a schema refuses. */
  readonly undecodable?: JsonObject;
  /** Merge patches, by what is wrong with them: refused when creating. */
  readonly invalid?: Readonly<Record<string, JsonObject>>;
  /** Merge patches refused when updating. */
  readonly immutable?: Readonly<Record<string, JsonObject>>;
  /** A merge patch to be written through /status. */
  readonly status?: JsonObject;
  readonly scale?: boolean;
  /** Custom kinds take no strategic merge patch. */
  readonly custom?: boolean;
}

export const nameOf = (kind: Kind): string => kind.objectName ?? "<id>";

export const collectionOf = (kind: Kind): string => {
  const root = kind.apiVersion.includes("/") ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  return `${root}${kind.clusterWide ? "" : "/namespaces/<ns>"}/${kind.resource}`;
};

export const pathOf = (kind: Kind): string => `${collectionOf(kind)}/${nameOf(kind)}`;

/** A minimal object; `change` is a merge patch on top of it. */
export function objectOf(kind: Kind, change: JsonObject = {}): JsonObject {
  const metadata = { name: nameOf(kind), labels: { case: "<id>" } };
  return merged({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...kind.content }, change);
}

export const group = (kind: Kind): string =>
  kind.apiVersion.includes("/") ? (kind.apiVersion.split("/")[0] ?? "") : "";

export const titleOf = (kind: Kind): string =>
  group(kind) === "" ? kind.resource : `${kind.resource}.${kind.apiVersion.split("/").reverse().join(".")}`;

/** What an apply configuration with only the change in it holds: an apply needs the type's required keys. */
export function partOf(kind: Kind, content: JsonObject): JsonObject {
  const labels = isObject(content.metadata) ? content.metadata : {};
  return {
    ...content,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: nameOf(kind), ...labels },
  };
}
