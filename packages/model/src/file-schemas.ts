import { applicationSchema } from "./application/application.ts";
import { applicationSetSchema } from "./application-set/application-set.ts";
import { configManagementPluginSchema } from "./plugin/config-management-plugin.ts";
import { pipelineSchema } from "./plugin/pipeline.ts";
import { appProjectSchema } from "./project/app-project.ts";
import { jsonSchema } from "./schema/json-schema.ts";
import type { Shape } from "./schema/schema.ts";

interface FileKind {
  readonly title: string;
  readonly shape: Shape;
  readonly partial?: boolean;
  readonly templated?: boolean;
}

/** By the name of the schema's file, without its ending: what people write. */
const fileKinds = {
  plugin: {
    title: "plugin.yaml: a ConfigManagementPlugin",
    shape: optionalVersion(configManagementPluginSchema.shape),
  },
  pipeline: { title: "capstan.yaml: a Pipeline", shape: pipelineSchema.shape },
  application: { title: "An Application", shape: applicationSchema.shape },
  "test-application": {
    title: "application.yaml of a plugin's test: what of an Application the plugin uses",
    shape: applicationSchema.shape,
    partial: true,
  },
  "app-project": { title: "An AppProject", shape: appProjectSchema.shape },
  "application-set": { title: "An ApplicationSet", shape: applicationSetSchema.shape, templated: true },
} as const satisfies Readonly<Record<string, FileKind>>;

export type SchemaName = keyof typeof fileKinds;

export const schemaNames = Object.keys(fileKinds) as readonly SchemaName[];

/** The JSON schema of a kind of file, made of what validates it. */
export function fileSchema(name: SchemaName): { [field: string]: unknown } {
  const { shape, ...options }: FileKind = fileKinds[name];
  return jsonSchema(written(shape), options);
}

/** What is Capstan's to write is any object. */
function written(shape: Shape): Shape {
  if (shape.type !== "object") return shape;
  const { status, operation, ...own } = shape.properties;
  const any: Shape = { type: "raw", object: true };
  const others = { ...(status ? { status: any } : {}), ...(operation ? { operation: any } : {}) };
  return { ...shape, properties: { ...own, ...others } };
}

/** Argo CD does not look at the apiVersion of plugin.yaml (cmpserver/plugin/config.go). */
function optionalVersion(shape: Shape): Shape {
  if (shape.type !== "object") return shape;
  return { ...shape, required: shape.required.filter((name) => name !== "apiVersion") };
}
