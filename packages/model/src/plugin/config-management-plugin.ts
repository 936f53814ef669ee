import { namedMetaSchema } from "../manifest.ts";
import {
  boolean,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from "../schema/schema.ts";

export const pluginCommandSchema = object({
  command: optional(list(string())),
  args: optional(list(string())),
});
export type PluginCommand = Static<typeof pluginCommandSchema>;

export const parameterAnnouncementSchema = object({
  name: optional(string()),
  title: optional(string()),
  tooltip: optional(string()),
  required: optional(boolean()),
  itemType: optional(string({ description: "Empty: string" })),
  collectionType: optional(string({ description: "string, array or map; empty: string" })),
  string: optional(string()),
  array: optional(list(string())),
  map: optional(map(string())),
});
export type ParameterAnnouncement = Static<typeof parameterAnnouncementSchema>;

export const pluginInputsSchema = object({
  mode: optional(oneOf(["path", "repository", "traced"])),
  globs: optional(list(string())),
  parser: optional(oneOf(["kustomize", "helm", "kpt"])),
});
export type PluginInputs = Static<typeof pluginInputsSchema>;

/** plugin.yaml: Argo CD's fields, then Capstan's optional ones, which stock servers ignore (design.md §4). */
export const configManagementPluginSchema = object(
  {
    apiVersion: string(),
    kind: oneOf(["ConfigManagementPlugin"]),
    metadata: namedMetaSchema,
    spec: object({
      version: optional(string({ description: "Becomes part of the name that applications must use" })),
      init: optional(pluginCommandSchema),
      generate: optional(pluginCommandSchema),
      discover: optional(
        object({
          fileName: optional(string({ description: "A glob without **" })),
          find: optional(
            object({
              glob: optional(string({ description: "A glob with **" })),
              command: optional(list(string())),
              args: optional(list(string())),
            }),
          ),
        }),
      ),
      parameters: optional(
        object({
          static: optional(list(parameterAnnouncementSchema)),
          dynamic: optional(pluginCommandSchema),
        }),
      ),
      preserveFileMode: optional(boolean()),
      provideGitCreds: optional(boolean()),
      listenAddress: optional(string({ description: "Capstan: serve on this address instead of a socket" })),
      transform: optional(pluginCommandSchema),
      inputs: optional(pluginInputsSchema),
      sensitive: optional(boolean({ description: "Capstan: the output holds secrets and rests nowhere" })),
      concurrency: optional(integer({ minimum: 1, description: "Capstan: renders at the same time" })),
      isolation: optional(oneOf(["none", "copy", "sandbox"])),
    }),
  },
  { description: "A program that turns files into manifests" },
);
export type ConfigManagementPlugin = Static<typeof configManagementPluginSchema>;
