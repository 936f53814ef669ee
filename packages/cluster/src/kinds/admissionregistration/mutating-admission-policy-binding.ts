import { specOf } from "../../registry/kind-rules.ts";
import type { Kind } from "../kind.ts";
import { admissionPolicyBindingCells } from "./policy-cells.ts";

export const mutatingAdmissionPolicyBinding: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicybindings",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  cells: admissionPolicyBindingCells,
};
