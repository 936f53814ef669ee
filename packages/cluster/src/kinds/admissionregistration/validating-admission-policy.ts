import { policyHook } from "../../admission/policies.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { length } from "../../schema/tables/cells.ts";
import { validateConditionList } from "../../schema/validation/conditions.ts";
import { label1035Name, qualifiedName, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { validateMatchResources } from "./match-resources.ts";
import { paramKind } from "./policy-cells.ts";

export const validatingAdmissionPolicy: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicies",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  // StatusREST.Update hands on that an apply may create
  createOnStatusApply: true,
  versionedUpdates: true,
  keptByStatus: "metadata",
  validate: validateAdmissionPolicy,
  validateStatus: validatePolicyStatus,
  cells: { Validations: length("spec", "validations"), ParamKind: paramKind },
  hook: () => policyHook,
};

/** pkg/apis/admissionregistration/validation, but for what the expressions say: admission/policies.ts knows that. */
function validateAdmissionPolicy(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  report.settle("spec");
  const failure = textAt(spec, "failurePolicy");
  if (failure && failure !== "Fail" && failure !== "Ignore")
    report.unsupported("spec.failurePolicy", failure, ["Fail", "Ignore"]);
  const kind = objectAt(spec, "paramKind");
  if (kind) validateParamKind(report, kind, "spec.paramKind");
  const match = objectAt(spec, "matchConstraints");
  if (!match) report.required("spec.matchConstraints");
  else {
    validateMatchResources(report, match, "spec.matchConstraints");
    if (listAt(match, "resourceRules").length === 0) report.required("spec.matchConstraints.resourceRules");
  }
  validateConditions(report, spec);
  const validations = listAt(spec, "validations");
  if (validations.length + listAt(spec, "auditAnnotations").length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    report.required("spec.validations", detail);
    report.required("spec.auditAnnotations", detail);
    return;
  }
  for (const [index, validation] of validations.entries())
    validateValidation(report, validation, `spec.validations[${index}]`);
  validateAnnotations(report, object);
}

function validateConditions(report: Report, spec: JsonObject | undefined): void {
  const names = new Set<string>();
  for (const [index, condition] of listAt(spec, "matchConditions").entries()) {
    const field = `spec.matchConditions[${index}]`;
    const name = textAt(condition, "name");
    if (!textAt(condition, "expression").trim()) report.required(`${field}.expression`);
    report.named(`${field}.name`, name, qualifiedName);
    if (name && names.has(name)) report.duplicate(`${field}.name`, name);
    names.add(name);
  }
}

/** validateParamKind */
function validateParamKind(report: Report, of: JsonObject, field: string): void {
  const [version, kind] = [textAt(of, "apiVersion"), textAt(of, "kind")];
  const at = `${field}.apiVersion`;
  const parts = version.split("/");
  const [group = "", name = ""] = parts.length === 1 ? ["", version] : parts;
  if (!version) report.required(at);
  else if (parts.length > 2) report.invalid(at, version, `unexpected GroupVersion string: ${version}`);
  else {
    const wrong = group ? subdomainName(group) : [];
    if (wrong.length > 0) report.invalid(at, group, wrong.join(","));
    const problems = label1035Name(name);
    if (!name) report.invalid(at, version, "version must be specified");
    else if (problems.length > 0) report.invalid(at, name, problems.join(","));
  }
  const unfit = label1035Name(kind.toLowerCase());
  if (!kind) report.required(`${field}.kind`);
  else if (unfit.length > 0)
    report.invalid(
      `${field}.kind`,
      kind,
      `may have mixed case, but should otherwise match: ${unfit.join(",")}`,
    );
}

function validateValidation(report: Report, validation: unknown, field: string): void {
  if (!textAt(validation, "expression").trim())
    report.required(`${field}.expression`, "expression is not specified");
  const [by, message] = [textAt(validation, "messageExpression"), textAt(validation, "message")];
  if (by && !by.trim()) report.invalid(`${field}.messageExpression`, by, "must be non-empty if specified");
  if (message && !message.trim())
    report.invalid(`${field}.message`, message, "must be non-empty if specified");
  else if (/[\r\n]/.test(message.trim()))
    report.invalid(`${field}.message`, message, "must not contain line breaks");
}

function validateAnnotations(report: Report, object: KubeObject): void {
  const keys = new Set<string>();
  for (const [index, annotation] of listAt(object, "spec", "auditAnnotations").entries()) {
    const field = `spec.auditAnnotations[${index}]`;
    const key = textAt(annotation, "key");
    const whole = `${object.metadata.name}/${key}`;
    report.syntax(`${field}.key`, whole, qualifiedName(whole));
    if (!textAt(annotation, "valueExpression").trim())
      report.required(`${field}.valueExpression`, "valueExpression is not specified");
    report.unique(`${field}.key`, key, keys);
  }
}

function validatePolicyStatus(report: Report, object: KubeObject): void {
  const warnings = listAt(object, "status", "typeChecking", "expressionWarnings");
  for (const [index, warning] of warnings.entries())
    for (const name of ["warning", "fieldRef"])
      if (!textAt(warning, name).trim())
        report.required(`status.typeChecking.expressionWarnings[${index}].${name}`);
  validateConditionList(report, listAt(object, "status", "conditions"));
}
