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
  choices: optional(list(string(), { description: "Capstan: the only values that a single one may have" })),
});
export type ParameterAnnouncement = Static<typeof parameterAnnouncementSchema>;

export const pluginInputsSchema = object(
  {
    paths: optional(
      list(string(), { description: "Files and directories; / begins at the repository's root" }),
    ),
    globs: optional(list(string(), { description: "The same as globs with **" })),
    observe: optional(boolean({ description: "A file-access trace tells what was read" })),
  },
  { description: "Capstan: what the output depends on; absent: the whole repository" },
);

/** plugin.yaml: Argo CD's fields, then Capstan's optional ones, which stock servers ignore. */
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
          passDefaults: optional(
            boolean({
              description:
                "Capstan: commands get the defaults of static parameters that an application does not set; default false, as in Argo CD",
            }),
          ),
        }),
      ),
      preserveFileMode: optional(boolean()),
      provideGitCreds: optional(boolean()),
      listenAddress: optional(string({ description: "Capstan: serve on this address instead of a socket" })),
      transform: optional(pluginCommandSchema),
      inputs: optional(pluginInputsSchema),
      sensitive: optional(boolean({ description: "Capstan: the output holds secrets and rests nowhere" })),
      concurrency: optional(integer({ minimum: 1, description: "Capstan: renders at the same time" })),
      allowConcurrency: optional(
        boolean({
          description: "Argo CD's former field; false: one render at a time, where concurrency is absent",
        }),
      ),
      lockRepo: optional(
        boolean({ description: "Argo CD's former field, without effect: each render has files of its own" }),
      ),
      isolation: optional(
        oneOf(["none", "copy", "sandbox"], {
          description:
            "Capstan: none, a copy of the files, or a sandbox that must work; absent: the best there is",
        }),
      ),
      network: optional(
        boolean({
          description:
            "Capstan: whether the commands reach the network from their sandbox; absent: where one of them names a program for fetching, or the server is told so",
        }),
      ),
      environment: optional(
        list(string(), {
          description:
            "Capstan: variables of the server that the commands get, by name; a * at the end of a name stands for the rest",
        }),
      ),
      readable: optional(
        list(string(), {
          description: "Capstan: files and folders that the commands see in their sandbox, by whole paths",
        }),
      ),
      writable: optional(
        list(string(), {
          description: "Capstan: the same, and they may write there; all their runs share it",
        }),
      ),
    }),
  },
  { description: "A program that turns files into manifests" },
);
export type ConfigManagementPlugin = Static<typeof configManagementPluginSchema>;
