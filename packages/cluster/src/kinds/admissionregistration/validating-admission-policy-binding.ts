import { specOf } from "../../registry/kind-rules.ts";
import { admissionPolicyBindingCells } from "../../schema/tables/access.ts";
import { validatePolicyBinding } from "../../schema/validation/admission-policies.ts";
import type { Kind } from "../kind.ts";

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
