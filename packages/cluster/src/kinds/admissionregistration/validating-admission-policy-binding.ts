import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { pathSegmentName, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { validateMatchResources } from "./match-resources.ts";
import { admissionPolicyBindingCells } from "./policy-cells.ts";

const actions = ["Audit", "Deny", "Warn"];

export const validatingAdmissionPolicyBinding: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicybindings",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  validate: validatePolicyBinding,
  cells: admissionPolicyBindingCells,
};

function validatePolicyBinding(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  report.settle("spec");
  const policy = textAt(spec, "policyName");
  report.named("spec.policyName", policy, subdomainName);
  const params = objectAt(spec, "paramRef");
  if (params) validateParams(report, params, "spec.paramRef");
  const match = objectAt(spec, "matchResources");
  if (match) validateMatchResources(report, match, "spec.matchResources");
  const asked = listAt(spec, "validationActions");
  const field = "spec.validationActions";
  for (const [index, action] of asked.entries()) {
    if (!actions.includes(`${action}`)) report.unsupported(`${field}[${index}]`, action, actions);
    if (asked.indexOf(action) < index) report.duplicate(`${field}[${index}]`, action);
  }
  if (asked.includes("Deny") && asked.includes("Warn"))
    report.invalid(
      field,
      asked,
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  if (asked.length === 0) report.required(field, "at least one validation action is required");
}

/** validateParamRef */
function validateParams(report: Report, params: JsonObject, field: string): void {
  const [name, selector] = [textAt(params, "name"), objectAt(params, "selector")];
  const exclusive = "name and selector are mutually exclusive";
  if (name) report.syntax(`${field}.name`, name, pathSegmentName(name));
  if (name && selector) report.forbidden(`${field}.name`, exclusive);
  if (selector) validateSelector(report, selector, `${field}.selector`);
  if (name && selector) report.forbidden(`${field}.selector`, exclusive);
  if (!name && !selector) report.required(field, "one of name or selector must be specified");
  const action = textAt(params, "parameterNotFoundAction");
  if (!action) report.required(`${field}.parameterNotFoundAction`);
  else if (action !== "Deny" && action !== "Allow")
    report.unsupported(`${field}.parameterNotFoundAction`, action, ["Deny", "Allow"]);
}
