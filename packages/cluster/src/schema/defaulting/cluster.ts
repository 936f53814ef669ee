import { type JsonObject, listAt, objectAt, textAt } from "../json.ts";

export function defaultNamespace(fields: JsonObject): void {
  const metadata = objectAt(fields, "metadata");
  const name = textAt(metadata, "name");
  if (name)
    fields.metadata = {
      ...metadata,
      labels: { ...objectAt(metadata, "labels"), "kubernetes.io/metadata.name": name },
    };
}

export function defaultSubject(fields: JsonObject): void {
  if (fields.kind === "User" || fields.kind === "Group") fields.apiGroup ??= "rbac.authorization.k8s.io";
}

/** pkg/apis/core/v1 conversion: the old field is the first of the new. */
export function defaultNodeSpec(fields: JsonObject): void {
  if (textAt(fields, "podCIDR")) fields.podCIDRs ??= [textAt(fields, "podCIDR")];
  else if (typeof listAt(fields, "podCIDRs")[0] === "string") fields.podCIDR = listAt(fields, "podCIDRs")[0];
}

export function defaultLimitedLevel(fields: JsonObject): void {
  fields.lendablePercent ??= 0;
}

export function defaultFlowSchema(fields: JsonObject): void {
  if (!fields.matchingPrecedence) fields.matchingPrecedence = 1_000;
}

export function defaultNodeStatus(fields: JsonObject): void {
  if (fields.capacity !== undefined) fields.allocatable ??= fields.capacity;
}

export function defaultCustomResourceNames(fields: JsonObject): void {
  const kind = textAt(fields, "kind");
  if (!kind) return;
  fields.singular ??= kind.toLowerCase();
  fields.listKind ??= `${kind}List`;
}

export function defaultConversion(fields: JsonObject): void {
  fields.strategy ??= "None";
}
