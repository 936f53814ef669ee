import { namedMetaSchema } from "../manifest.ts";
import { object, oneOf, optional, type Static, string } from "../schema/schema.ts";
import { operationSchema } from "./operation.ts";
import { applicationSpecSchema } from "./spec.ts";
import { applicationStatusSchema } from "./status.ts";

export const argoApiVersion = "argoproj.io/v1alpha1";

export const applicationSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["Application"]),
    metadata: namedMetaSchema,
    spec: applicationSpecSchema,
    status: optional(applicationStatusSchema),
    operation: optional(operationSchema),
  },
  { description: "An application: what to deploy, from where, to where" },
);
export type Application = Static<typeof applicationSchema>;
