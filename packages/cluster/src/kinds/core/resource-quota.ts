import { objectAt } from "../../schema/json.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { validateQuota } from "./resource-quota-validation.ts";

export const resourceQuota: Kind = {
  group: "",
  resource: "resourcequotas",
  metadataPasses: { update: 2, whole: 3 },
  validate: validateQuota,
  cells: {
    Request: (object) => quota(object, false),
    Limit: (object) => quota(object, true),
  },
  deletion: {
    answersObject: true,
  },
};

function quota(object: KubeObject, limits: boolean): string {
  const hard = objectAt(object, "status", "hard") ?? {};
  const used = objectAt(object, "status", "used") ?? {};
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(", ");
}
