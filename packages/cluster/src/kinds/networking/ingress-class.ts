import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, objectAt, textAt } from "../../schema/json.ts";
import { nameWithDefault, text } from "../../schema/tables/cells.ts";
import { labelName, pathSegmentName, subdomainName } from "../../schema/validation/names.ts";
import { validatePrefixedPath } from "../../schema/validation/prefixed-path.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const ingressClass: Kind = {
  group: "networking.k8s.io",
  resource: "ingressclasses",
  generation: specOf,
  validate: validateIngressClass,
  cells: {
    Name: (object) => nameWithDefault(object, "ingressclass.kubernetes.io/is-default-class"),
    Controller: text("spec", "controller"),
    Parameters(object) {
      const parameters = objectAt(object, "spec", "parameters");
      if (!parameters) return "<none>";
      const group = textAt(parameters, "apiGroup");
      return `${textAt(parameters, "kind")}${group ? `.${group}` : ""}/${textAt(parameters, "name")}`;
    },
  },
};

function validateIngressClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const controller = textAt(objectAt(object, "spec"), "controller");
  const before = textAt(objectAt(previous, "spec"), "controller");
  if (before && before !== controller) report.invalid("spec.controller", controller, "field is immutable");
  validatePrefixedPath(report, controller, "spec.controller");
  const parameters = objectAt(object, "spec", "parameters");
  if (parameters) validateParameters(report, parameters, "spec.parameters");
}

function validateParameters(report: Report, parameters: JsonObject, field: string): void {
  const { apiGroup, scope, namespace } = parameters;
  report.settle(field);
  if (typeof apiGroup === "string") report.syntax(`${field}.apiGroup`, apiGroup, subdomainName(apiGroup));
  for (const name of ["kind", "name"]) {
    const value = textAt(parameters, name);
    report.named(`${field}.${name}`, value, pathSegmentName);
  }
  const at = `${field}.namespace`;
  if (scope === undefined) report.required(`${field}.scope`);
  else if (scope !== "Cluster" && scope !== "Namespace")
    report.unsupported(`${field}.scope`, scope, ["Cluster", "Namespace"]);
  else if (scope === "Cluster" && namespace !== undefined)
    report.forbidden(at, "`parameters.scope` is set to 'Cluster'");
  else if (scope === "Namespace" && typeof namespace !== "string")
    report.required(at, "`parameters.scope` is set to 'Namespace'");
  else if (typeof namespace === "string") report.syntax(at, namespace, labelName(namespace));
}
