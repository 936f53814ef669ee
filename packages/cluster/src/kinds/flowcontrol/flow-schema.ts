import { specOf } from "../../registry/kind-rules.ts";
import { defaultFlowSchema } from "../../schema/defaulting/cluster.ts";
import { flowSchemaCells } from "../../schema/tables/cluster.ts";
import { validateConditionTypes } from "../../schema/validation/conditions.ts";
import { validateFlowSchema } from "../../schema/validation/rarer.ts";
import { flowSchemas } from "../../workloads/policy/standing.ts";
import type { Kind } from "../kind.ts";

export const flowSchema: Kind = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "flowschemas",
  metadataPasses: { update: 1, whole: 3 },
  generation: specOf,
  keptByStatus: "metadata",
  defaults: {
    "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": defaultFlowSchema,
  },
  validate: validateFlowSchema,
  validateStatus: validateConditionTypes,
  cells: flowSchemaCells,
  simulation: { make: flowSchemas },
};
