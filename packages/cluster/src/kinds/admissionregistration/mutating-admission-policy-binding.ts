import { specOf } from "../../registry/kind-rules.ts";
import { admissionPolicyBindingCells } from "../../schema/tables/access.ts";
import type { Kind } from "../kind.ts";

export const mutatingAdmissionPolicyBinding: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicybindings",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  cells: admissionPolicyBindingCells,
};
