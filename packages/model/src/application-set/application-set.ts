import { healthSchema, resourceStatusSchema } from "../application/status.ts";
import { namedMetaSchema } from "../manifest.ts";
import {
  boolean,
  integer,
  intOrString,
  list,
  object,
  oneOf,
  optional,
  type Static,
  string,
  time,
} from "../schema/schema.ts";
import { applicationSetGeneratorSchema, applicationSetTemplateSchema } from "./generators.ts";

export const rolloutStepSchema = object({
  matchExpressions: optional(
    list(object({ key: string(), operator: string(), values: optional(list(string())) })),
  ),
  maxUpdate: optional(intOrString({ description: "A number or a percentage; nothing: all" })),
});

export const applicationSetSpecSchema = object({
  goTemplate: optional(boolean()),
  goTemplateOptions: optional(list(string())),
  generators: list(applicationSetGeneratorSchema),
  template: applicationSetTemplateSchema,
  templatePatch: optional(string()),
  syncPolicy: optional(
    object({
      applicationsSync: optional(oneOf(["create-only", "create-update", "create-delete", "sync"])),
      preserveResourcesOnDeletion: optional(boolean()),
    }),
  ),
  strategy: optional(
    object({
      type: optional(string()),
      rollingSync: optional(object({ steps: optional(list(rolloutStepSchema)) })),
      deletionOrder: optional(string()),
    }),
  ),
  preservedFields: optional(
    object({ annotations: optional(list(string())), labels: optional(list(string())) }),
  ),
  ignoreApplicationDifferences: optional(
    list(
      object({
        name: optional(string()),
        jsonPointers: optional(list(string())),
        jqPathExpressions: optional(list(string())),
      }),
    ),
  ),
  applyNestedSelectors: optional(boolean({ description: "Deprecated: always on" })),
});

export const applicationSetConditionSchema = object({
  type: string(),
  status: string(),
  reason: string(),
  message: string(),
  lastTransitionTime: optional(time()),
});
export type ApplicationSetCondition = Static<typeof applicationSetConditionSchema>;

/** Type of the condition that says what the deletion budget holds (Capstan's own). */
export const deletionHeldCondition = "DeletionHeld";

export const applicationSetApplicationStatusSchema = object({
  application: string(),
  status: string(),
  step: string(),
  message: string(),
  targetRevisions: optional(list(string())),
  lastTransitionTime: optional(time()),
});

export const applicationSetStatusSchema = object({
  conditions: optional(list(applicationSetConditionSchema)),
  applicationStatus: optional(list(applicationSetApplicationStatusSchema)),
  resources: optional(list(resourceStatusSchema)),
  resourcesCount: optional(integer()),
  health: optional(healthSchema),
});

export const applicationSetSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["ApplicationSet"]),
    metadata: namedMetaSchema,
    spec: applicationSetSpecSchema,
    status: optional(applicationSetStatusSchema),
  },
  { description: "Applications made from a template and generators of parameters" },
);
export type ApplicationSet = Static<typeof applicationSetSchema>;
