import type { ObjectTypes } from "./kptfile-schema.ts";

/** kpt.dev/v1alpha1 Kptfile, of kpt before 1.0 (catalog functions/go/fix/v1alpha1/types.go). */
export const formerTypes: ObjectTypes = {
  Kptfile: {
    name: "v1alpha1.KptFile",
    fields: {
      apiVersion: "text",
      kind: "text",
      metadata: { object: "Metadata" },
      upstream: { object: "Upstream" },
      packageMetadata: { object: "PackageMeta" },
      dependencies: { list: "Dependency" },
      openAPI: "anything",
      functions: { object: "Functions" },
      inventory: { object: "Inventory" },
    },
  },
  Metadata: {
    name: "yaml.ObjectMeta",
    fields: { name: "text", namespace: "text", labels: "map", annotations: "map" },
  },
  Upstream: {
    name: "v1alpha1.Upstream",
    fields: { type: "text", git: { object: "Git" }, stdin: { object: "Stdin" } },
  },
  Git: { name: "v1alpha1.Git", fields: { commit: "text", repo: "text", directory: "text", ref: "text" } },
  Stdin: { name: "v1alpha1.Stdin", fields: { filenamePattern: "text", original: "text" } },
  PackageMeta: {
    name: "v1alpha1.PackageMeta",
    fields: {
      url: "text",
      email: "text",
      license: "text",
      version: "text",
      tags: "texts",
      man: "text",
      shortDescription: "text",
    },
  },
  Dependency: {
    name: "v1alpha1.Dependency",
    fields: {
      name: "text",
      type: "text",
      git: { object: "Git" },
      stdin: { object: "Stdin" },
      ensureNotExists: "anything",
      updateStrategy: "text",
      functions: { list: "Function" },
      autoSet: "anything",
    },
  },
  Function: { name: "v1alpha1.Function", fields: { config: "anything", image: "text" } },
  Functions: {
    name: "v1alpha1.Functions",
    fields: { autoRunStarlark: "anything", starlarkFunctions: { list: "StarlarkFunction" } },
  },
  StarlarkFunction: { name: "v1alpha1.StarlarkFunction", fields: { name: "text", path: "text" } },
  Inventory: {
    name: "v1alpha1.Inventory",
    fields: { namespace: "text", name: "text", inventoryID: "text", labels: "map", annotations: "map" },
  },
};
