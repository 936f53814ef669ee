import { mutatingPolicyHook } from "../../admission/mutations.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { admissionPolicyCells } from "../../schema/tables/access.ts";
import type { Kind } from "../kind.ts";

export const mutatingAdmissionPolicy: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  cells: admissionPolicyCells,
  hook: () => mutatingPolicyHook,
};
