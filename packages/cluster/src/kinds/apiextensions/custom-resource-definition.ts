import { crdHook, customResourceCleanup } from "../../lifecycle/custom-resources.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { defaultConversion, defaultCustomResourceNames } from "../../schema/defaulting/cluster.ts";
import { pluralAndGroup } from "../../schema/validation/metadata.ts";
import type { Kind } from "../kind.ts";
import { crdProblems } from "./crd-problems.ts";

export const customResourceDefinition: Kind = {
  group: "apiextensions.k8s.io",
  resource: "customresourcedefinitions",
  storageKey: "apiextensions.k8s.io/customresourcedefinitions",
  nameSyntax: pluralAndGroup,
  metadataPasses: { update: 2, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  defaults: {
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion": defaultConversion,
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames":
      defaultCustomResourceNames,
  },
  checksItsTypes: true,
  deletion: {
    finalizer: customResourceCleanup,
    marksAlone: true,
  },
  hook: ({ store, clock }) => ({ ...crdHook(store, clock), problems: crdProblems }),
};
