/**
 * What the value of a field is: text, list of texts, map of texts, whole number, an object or a list of objects;
 * anything: it may be there and is not read.
 */
export type FieldType =
  | "text"
  | "texts"
  | "map"
  | "number"
  | "anything"
  | { object: string }
  | { list: string };

interface ObjectType {
  /** As Go calls it, which is how errors name it. */
  name: string;
  fields: Readonly<Record<string, FieldType>>;
}

const result: ObjectType["fields"] = {
  name: "text",
  image: "text",
  exec: "text",
  executionError: "text",
  stderr: "text",
  exitCode: "number",
  results: { list: "ResultItem" },
  errorResults: { list: "ResultItem" },
};

export type ObjectTypes = Readonly<Record<string, ObjectType>>;

/** kpt.dev/v1 Kptfile, its fields in the order in which kpt writes them (api/kptfile/v1/types.go). */
export const kptfileTypes: ObjectTypes = {
  Kptfile: {
    name: "v1.KptFile",
    fields: {
      apiVersion: "text",
      kind: "text",
      metadata: { object: "Metadata" },
      upstream: { object: "Upstream" },
      upstreamLock: { object: "Locator" },
      info: { object: "Info" },
      pipeline: { object: "Pipeline" },
      inventory: { object: "Inventory" },
      status: { object: "Status" },
    },
  },
  Metadata: {
    name: "yaml.ObjectMeta",
    fields: { name: "text", namespace: "text", labels: "map", annotations: "map" },
  },
  Upstream: { name: "v1.Upstream", fields: { type: "text", git: { object: "Git" }, updateStrategy: "text" } },
  Git: { name: "v1.Git", fields: { repo: "text", directory: "text", ref: "text" } },
  Locator: {
    name: "v1.Locator",
    fields: { type: "text", git: { object: "GitLock" }, generic: { object: "GenericLock" } },
  },
  GitLock: { name: "v1.GitLock", fields: { repo: "text", directory: "text", ref: "text", commit: "text" } },
  GenericLock: {
    name: "v1.GenericLock",
    fields: { storeID: "text", resourceID: "text", resourceVersion: "text" },
  },
  Info: {
    name: "v1.PackageInfo",
    fields: {
      site: "text",
      emails: "texts",
      license: "text",
      licenseFile: "text",
      description: "text",
      keywords: "texts",
      man: "text",
      readinessGates: { list: "ReadinessGate" },
    },
  },
  ReadinessGate: { name: "v1.ReadinessGate", fields: { conditionType: "text" } },
  Pipeline: {
    name: "v1.Pipeline",
    fields: { mutators: { list: "Function" }, validators: { list: "Function" } },
  },
  Function: {
    name: "v1.Function",
    fields: {
      image: "text",
      exec: "text",
      configPath: "text",
      configMap: "map",
      name: "text",
      tag: "text",
      selectors: { list: "Selector" },
      exclude: { list: "Selector" },
    },
  },
  Selector: {
    name: "v1.Selector",
    fields: {
      apiVersion: "text",
      kind: "text",
      name: "text",
      namespace: "text",
      labels: "map",
      annotations: "map",
    },
  },
  Inventory: {
    name: "v1.Inventory",
    fields: { namespace: "text", name: "text", inventoryID: "text", labels: "map", annotations: "map" },
  },
  Status: {
    name: "v1.Status",
    fields: { conditions: { list: "Condition" }, renderStatus: { object: "RenderStatus" } },
  },
  Condition: {
    name: "v1.Condition",
    fields: { type: "text", status: "text", reason: "text", message: "text" },
  },
  RenderStatus: {
    name: "v1.RenderStatus",
    fields: {
      mutationSteps: { list: "StepResult" },
      validationSteps: { list: "StepResult" },
      errorSummary: "text",
    },
  },
  StepResult: { name: "v1.PipelineStepResult", fields: result },
  ResultItem: {
    name: "v1.ResultItem",
    fields: {
      message: "text",
      severity: "text",
      resourceRef: { object: "ResourceRef" },
      field: { object: "ResultField" },
      file: { object: "ResultFile" },
      tags: "map",
    },
  },
  ResourceRef: {
    name: "yaml.ResourceIdentifier",
    fields: { apiVersion: "text", kind: "text", name: "text", namespace: "text" },
  },
  ResultField: { name: "v1.Field", fields: { path: "text", currentValue: "text", proposedValue: "text" } },
  ResultFile: { name: "framework.File", fields: { path: "text", index: "number" } },
};
