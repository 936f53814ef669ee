import { crdHook, customResourceCleanup } from "../../lifecycle/custom-resources.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, textAt } from "../../schema/json.ts";
import { subdomainName } from "../../schema/validation/names.ts";
import type { KubeObject } from "../../types.ts";
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
    // apiextensions' strategy: what the definition defines goes first
    finalizer: customResourceCleanup,
    marksAlone: true,
  },
  hook: ({ store, clock }) => ({ ...crdHook(store, clock), problems: crdProblems }),
};

function defaultCustomResourceNames(fields: JsonObject): void {
  const kind = textAt(fields, "kind");
  if (!kind) return;
  fields.singular ??= kind.toLowerCase();
  fields.listKind ??= `${kind}List`;
}

function defaultConversion(fields: JsonObject): void {
  fields.strategy ??= "None";
}

function pluralAndGroup(name: string, { spec }: KubeObject): string[] {
  const wanted = `${textAt(spec, "names", "plural")}.${textAt(spec, "group")}`;
  return [...subdomainName(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}
