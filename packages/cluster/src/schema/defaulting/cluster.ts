import { type JsonObject, listAt, objectAt, textAt } from "../json.ts";
import type { ConditionalDefault } from "./rules.ts";

function namespace(fields: JsonObject): void {
  const metadata = objectAt(fields, "metadata");
  const name = textAt(metadata, "name");
  if (name)
    fields.metadata = {
      ...metadata,
      labels: { ...objectAt(metadata, "labels"), "kubernetes.io/metadata.name": name },
    };
}

function subject(fields: JsonObject): void {
  if (fields.kind === "User" || fields.kind === "Group") fields.apiGroup ??= "rbac.authorization.k8s.io";
}

/** pkg/apis/core/v1 conversion: the old field is the first of the new. */
function nodeSpec(fields: JsonObject): void {
  if (textAt(fields, "podCIDR")) fields.podCIDRs ??= [textAt(fields, "podCIDR")];
  else if (typeof listAt(fields, "podCIDRs")[0] === "string") fields.podCIDR = listAt(fields, "podCIDRs")[0];
}

function limitedLevel(fields: JsonObject): void {
  fields.lendablePercent ??= 0;
}

function flowSchema(fields: JsonObject): void {
  if (!fields.matchingPrecedence) fields.matchingPrecedence = 1_000;
}

function nodeStatus(fields: JsonObject): void {
  if (fields.capacity !== undefined) fields.allocatable ??= fields.capacity;
}

function customResourceNames(fields: JsonObject): void {
  const kind = textAt(fields, "kind");
  if (!kind) return;
  fields.singular ??= kind.toLowerCase();
  fields.listKind ??= `${kind}List`;
}

function conversion(fields: JsonObject): void {
  fields.strategy ??= "None";
}

export const clusterDefaults: Record<string, ConditionalDefault> = {
  "io.k8s.api.core.v1.Namespace": namespace,
  "io.k8s.api.core.v1.NodeSpec": nodeSpec,
  "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": limitedLevel,
  "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": flowSchema,
  "io.k8s.api.core.v1.NodeStatus": nodeStatus,
  "io.k8s.api.rbac.v1.Subject": subject,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion": conversion,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames":
    customResourceNames,
};
