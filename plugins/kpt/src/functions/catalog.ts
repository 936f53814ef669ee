import type { KrmFunction } from "../function.ts";
import { gatekeeper } from "../gatekeeper/gatekeeper.ts";
import { applyReplacements } from "./apply-replacements.ts";
import { applySetters } from "./apply-setters.ts";
import { createSetters } from "./create-setters.ts";
import { deleteAnnotations } from "./delete-annotations.ts";
import { ensureNameSubstring } from "./ensure-name-substring.ts";
import { fix } from "./fix.ts";
import { kubeconform, kubeval, type ReadDefinitions } from "./kubeconform.ts";
import { listSetters } from "./list-setters.ts";
import { removeLocalConfigResources } from "./local-config.ts";
import { generatePackageContext } from "./package-context.ts";
import { renderHelmChart } from "./render-helm-chart.ts";
import { searchReplace } from "./search-replace.ts";
import { setAnnotations } from "./set-annotations.ts";
import { setEnforcementAction } from "./set-enforcement-action.ts";
import { setImage } from "./set-image.ts";
import { setLabels } from "./set-labels.ts";
import { setNamePrefix } from "./set-name-prefix.ts";
import { setNamespace } from "./set-namespace.ts";
import { starlark } from "./starlark.ts";
import { upsertResource } from "./upsert-resource.ts";

/** A function of the catalog as it runs here, and the version of the catalog whose behaviour it has. */
export interface CatalogFunction {
  run: KrmFunction;
  version: string;
}

export type Catalog = ReadonlyMap<string, CatalogFunction>;

const functions: Readonly<Record<string, CatalogFunction>> = {
  "apply-replacements": { run: applyReplacements, version: "0.1.1" },
  "apply-setters": { run: applySetters, version: "0.2.2" },
  "create-setters": { run: createSetters, version: "0.1.0" },
  "delete-annotations": { run: deleteAnnotations, version: "0.1.0" },
  "ensure-name-substring": { run: ensureNameSubstring, version: "0.2.0" },
  fix: { run: fix, version: "0.2.0" },
  gatekeeper: { run: gatekeeper, version: "0.2.1" },
  "gen-pkg-context": { run: generatePackageContext, version: "0.1.0" },
  "list-setters": { run: listSetters, version: "0.1.0" },
  "remove-local-config-resources": { run: removeLocalConfigResources, version: "0.1.0" },
  "render-helm-chart": { run: renderHelmChart, version: "0.3.0" },
  "search-replace": { run: searchReplace, version: "0.2.0" },
  "set-annotations": { run: setAnnotations, version: "0.1.4" },
  "set-enforcement-action": { run: setEnforcementAction, version: "0.1.1" },
  "set-image": { run: setImage, version: "0.1.1" },
  "set-labels": { run: setLabels, version: "0.2.0" },
  "set-name-prefix": { run: setNamePrefix, version: "0.1.0" },
  "set-namespace": { run: setNamespace, version: "0.4.1" },
  starlark: { run: starlark(), version: "0.5.0" },
  "upsert-resource": { run: upsertResource, version: "0.2.0" },
};

export const catalog: Catalog = new Map(Object.entries(functions));

/** With the functions that need the schemas of Kubernetes. */
export function withSchemas(read: ReadDefinitions | undefined): Catalog {
  if (!read) return catalog;
  return new Map([
    ...catalog,
    ["kubeconform", { run: kubeconform(read), version: "0.1.0" }],
    ["starlark", { run: starlark(read), version: "0.5.0" }],
    ["kubeval", { run: kubeval(read), version: "0.3.0" }],
  ]);
}
