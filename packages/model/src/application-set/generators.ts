import { applicationSpecSchema } from "../application/spec.ts";
import {
  anyObject,
  anyValue,
  boolean,
  integer,
  list,
  map,
  object,
  oneOf,
  opaqueInCrd,
  optional,
  type Static,
  string,
} from "../schema/schema.ts";
import { pullRequestFilterSchema, pullRequestProviders, scmFilterSchema, scmProviders } from "./providers.ts";

export const templateMetaSchema = object({
  name: optional(string()),
  namespace: optional(
    string({ description: "Ignored: applications stand in the ApplicationSet's namespace" }),
  ),
  labels: optional(map(string())),
  annotations: optional(map(string())),
  finalizers: optional(list(string())),
});

export const applicationSetTemplateSchema = object({
  metadata: templateMetaSchema,
  spec: applicationSpecSchema,
});

/** A generator's own template fills gaps of the main one, so that nothing in it is required. */
const overrides = opaqueInCrd(
  object({ metadata: optional(templateMetaSchema), spec: optional(anyObject()) }),
);

export const labelSelectorSchema = object({
  matchLabels: optional(map(string())),
  matchExpressions: optional(
    list(
      object({
        key: string(),
        operator: oneOf(["In", "NotIn", "Exists", "DoesNotExist"]),
        values: optional(list(string())),
      }),
    ),
  ),
});

const every = {
  template: optional(overrides),
  values: optional(map(string())),
};
const polled = { ...every, requeueAfterSeconds: optional(integer({ description: "0: not polled" })) };
const pathItem = object({ path: string(), exclude: optional(boolean()) });

const terminal = {
  list: optional(
    object({
      elements: optional(list(anyValue())),
      elementsYaml: optional(string({ description: "A templated YAML list" })),
      template: optional(overrides),
    }),
  ),
  clusters: optional(
    object({ selector: optional(labelSelectorSchema), flatList: optional(boolean()), ...every }),
  ),
  git: optional(
    object({
      repoURL: string(),
      revision: optional(string()),
      directories: optional(list(pathItem)),
      files: optional(list(pathItem)),
      pathParamPrefix: optional(string()),
      ...polled,
    }),
  ),
  scmProvider: optional(
    object({
      ...scmProviders,
      filters: optional(list(scmFilterSchema)),
      cloneProtocol: optional(string()),
      ...polled,
    }),
  ),
  pullRequest: optional(
    object({
      ...pullRequestProviders,
      filters: optional(list(pullRequestFilterSchema)),
      continueOnRepoNotFoundError: optional(boolean()),
      ...polled,
    }),
  ),
  clusterDecisionResource: optional(
    object({
      configMapRef: string(),
      name: optional(string()),
      labelSelector: optional(labelSelectorSchema),
      ...polled,
    }),
  ),
  plugin: optional(
    object({
      configMapRef: object({ name: string() }),
      input: optional(object({ parameters: optional(map(anyValue())) })),
      ...polled,
    }),
  ),
  selector: optional(labelSelectorSchema),
};

export const terminalGeneratorSchema = object(terminal);
export type TerminalGenerator = Static<typeof terminalGeneratorSchema>;

const innermost = list(opaqueInCrd(terminalGeneratorSchema));

export const nestedGeneratorSchema = object({
  ...terminal,
  matrix: optional(opaqueInCrd(object({ generators: innermost }))),
  merge: optional(opaqueInCrd(object({ generators: innermost, mergeKeys: list(string()) }))),
});
export type NestedGenerator = Static<typeof nestedGeneratorSchema>;

export const applicationSetGeneratorSchema = object({
  ...terminal,
  matrix: optional(object({ generators: list(nestedGeneratorSchema), template: optional(overrides) })),
  merge: optional(
    object({
      generators: list(nestedGeneratorSchema),
      mergeKeys: list(string()),
      template: optional(overrides),
    }),
  ),
});
export type ApplicationSetGenerator = Static<typeof applicationSetGeneratorSchema>;
