/** How the nouns are built, for contracts that say what a body must look like. */
export { applicationSchema } from "./application/application.ts";
export { syncResourceSchema, syncStrategySchema } from "./application/operation.ts";
export { applicationSourceSchema } from "./application/source.ts";
export { applicationSpecSchema, infoSchema, retrySchema } from "./application/spec.ts";
export { applicationSetSchema } from "./application-set/application-set.ts";
export { appProjectSchema } from "./project/app-project.ts";
export { checkShape, withoutNulls } from "./schema/check-shape.ts";
export { crdSchema } from "./schema/crd-schema.ts";
export {
  boolean,
  integer,
  intOrString,
  list,
  map,
  object,
  oneOf,
  optional,
  type Schema,
  type Shape,
  type Static,
  string,
} from "./schema/schema.ts";
