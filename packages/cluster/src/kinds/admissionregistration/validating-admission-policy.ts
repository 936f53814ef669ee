import { policyHook } from "../../admission/policies.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { admissionPolicyCells } from "../../schema/tables/access.ts";
import { validateAdmissionPolicy } from "../../schema/validation/admission-policies.ts";
import { validatePolicyStatus } from "../../schema/validation/status.ts";
import type { Kind } from "../kind.ts";

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
  cells: admissionPolicyCells,
  hook: () => policyHook,
};
