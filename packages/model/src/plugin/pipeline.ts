import { pluginParameterSchema } from "../application/source.ts";
import { namedMetaSchema } from "../manifest.ts";
import { anyObject, boolean, list, object, oneOf, optional, type Static, string } from "../schema/schema.ts";

export const pipelineApiVersion = "capstan.dev/v1alpha1";

export const pipelineStageSchema = object({
  name: optional(string({ description: "Unique within the pipeline; empty: the plugin's name" })),
  plugin: string({ description: "Name of the plugin that runs" }),
  path: optional(string({ description: "Directory the stage works in, relative to the application's" })),
  input: optional(
    string({
      description:
        "File in the stage's directory that holds the manifests so far; what the stage generates replaces them",
    }),
  ),
  parameters: optional(list(pluginParameterSchema)),
  config: optional(
    anyObject({ description: "Settings of a built-in plugin, as in the Application's source" }),
  ),
  env: optional(list(object({ name: string(), value: string() }))),
  sensitive: optional(boolean({ description: "The stage's output holds secrets and rests nowhere" })),
});
export type PipelineStage = Static<typeof pipelineStageSchema>;

/** In the application's directory (capstan.yaml) or installed by the operator and used as a plugin name. */
export const pipelineSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["Pipeline"]),
    metadata: namedMetaSchema,
    spec: object({
      discover: optional(
        object({
          fileName: optional(string({ description: "A glob without **, from the application's directory" })),
          glob: optional(string({ description: "A glob with **, from the application's directory" })),
        }),
      ),
      stages: list(pipelineStageSchema),
    }),
  },
  { description: "Plugins run one after another to make an application's manifests" },
);
export type Pipeline = Static<typeof pipelineSchema>;
