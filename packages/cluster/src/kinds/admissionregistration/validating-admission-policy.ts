import { policyHook } from "../../admission/policies.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { length } from "../../schema/tables/cells.ts";
import type { Kind } from "../kind.ts";
import { paramKind } from "./policy-cells.ts";
import { validateAdmissionPolicy, validatePolicyStatus } from "./validating-admission-policy-validation.ts";

export const validatingAdmissionPolicy: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicies",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  createOnStatusApply: true,
  versionedUpdates: true,
  keptByStatus: "metadata",
  validate: validateAdmissionPolicy,
  validateStatus: validatePolicyStatus,
  cells: { Validations: length("spec", "validations"), ParamKind: paramKind },
  hook: () => policyHook,
};
