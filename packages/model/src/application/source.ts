import {
  anyObject,
  boolean,
  intOrString,
  list,
  map,
  object,
  optional,
  type Static,
  string,
} from "../schema/schema.ts";

const nameValue = { name: string(), value: string() };

export const helmParameterSchema = object({
  name: optional(string()),
  value: optional(string()),
  forceString: optional(boolean({ description: "Pass the value as a string: --set-string" })),
});

export const helmSourceSchema = object({
  valueFiles: optional(list(string())),
  values: optional(string({ description: "Helm values as YAML text" })),
  valuesObject: optional(anyObject({ description: "Helm values; wins over values" })),
  parameters: optional(list(helmParameterSchema)),
  fileParameters: optional(list(object({ name: optional(string()), path: optional(string()) }))),
  releaseName: optional(string()),
  version: optional(string({ description: "v3 or v4" })),
  passCredentials: optional(boolean()),
  ignoreMissingValueFiles: optional(boolean()),
  skipCrds: optional(boolean()),
  skipTests: optional(boolean()),
  skipSchemaValidation: optional(boolean()),
  namespace: optional(string()),
  kubeVersion: optional(string()),
  apiVersions: optional(list(string())),
});
export type HelmSource = Static<typeof helmSourceSchema>;

export const kustomizePatchSchema = object({
  path: optional(string()),
  patch: optional(string()),
  target: optional(
    object({
      group: optional(string()),
      version: optional(string()),
      kind: optional(string()),
      name: optional(string()),
      namespace: optional(string()),
      annotationSelector: optional(string()),
      labelSelector: optional(string()),
    }),
  ),
  options: optional(map(boolean())),
});
export type KustomizePatch = Static<typeof kustomizePatchSchema>;

export const kustomizeSourceSchema = object({
  namePrefix: optional(string()),
  nameSuffix: optional(string()),
  images: optional(list(string({ description: "[old=]name[:tag][@digest]" }))),
  replicas: optional(list(object({ name: string(), count: intOrString() }))),
  commonLabels: optional(map(string())),
  commonAnnotations: optional(map(string())),
  commonAnnotationsEnvsubst: optional(boolean()),
  forceCommonLabels: optional(boolean()),
  forceCommonAnnotations: optional(boolean()),
  labelWithoutSelector: optional(boolean()),
  labelIncludeTemplates: optional(boolean()),
  namespace: optional(string()),
  components: optional(list(string())),
  ignoreMissingComponents: optional(boolean()),
  patches: optional(list(kustomizePatchSchema)),
  version: optional(string()),
  kubeVersion: optional(string()),
  apiVersions: optional(list(string())),
});
export type KustomizeSource = Static<typeof kustomizeSourceSchema>;

const jsonnetVar = object({ ...nameValue, code: optional(boolean()) });

export const directorySourceSchema = object({
  recurse: optional(boolean()),
  include: optional(string()),
  exclude: optional(string()),
  disableExtensionFilter: optional(
    boolean({ description: "Read files of any name, not only YAML, JSON and jsonnet" }),
  ),
  jsonnet: optional(
    object({
      extVars: optional(list(jsonnetVar)),
      tlas: optional(list(jsonnetVar)),
      libs: optional(list(string())),
    }),
  ),
});
export type DirectorySource = Static<typeof directorySourceSchema>;

export const pluginParameterSchema = object({
  name: optional(string()),
  string: optional(string()),
  map: optional(map(string())),
  array: optional(list(string())),
});
export type PluginParameter = Static<typeof pluginParameterSchema>;

export const pluginSourceSchema = object({
  name: optional(string({ description: "Empty: the first plugin whose discovery matches" })),
  env: optional(list(object(nameValue))),
  parameters: optional(list(pluginParameterSchema)),
});
export type PluginSource = Static<typeof pluginSourceSchema>;

const toolFields = {
  helm: optional(helmSourceSchema),
  kustomize: optional(kustomizeSourceSchema),
  directory: optional(directorySourceSchema),
  plugin: optional(pluginSourceSchema),
};

export const applicationSourceSchema = object({
  repoURL: string({ description: "Git URL, Helm repository URL or oci:// URL" }),
  path: optional(string({ description: "Directory within the repository" })),
  targetRevision: optional(string({ description: "Branch, tag, commit or version constraint; empty: HEAD" })),
  tagPrefix: optional(
    string({ description: "Only tags with this prefix take part in a version constraint" }),
  ),
  chart: optional(string({ description: "Chart name; makes this a Helm repository source" })),
  ref: optional(string({ description: "Name by which other sources refer to files of this one: $ref/path" })),
  name: optional(string()),
  ...toolFields,
});
export type ApplicationSource = Static<typeof applicationSourceSchema>;

export const sourceHydratorSchema = object({
  drySource: object({
    repoURL: string(),
    targetRevision: string(),
    path: string(),
    ...toolFields,
  }),
  syncSource: object({
    targetBranch: string(),
    path: string({ pattern: "^.{2,}|[^./]$" }),
    repoURL: optional(string()),
  }),
  hydrateTo: optional(object({ targetBranch: string() })),
});
export type SourceHydrator = Static<typeof sourceHydratorSchema>;
