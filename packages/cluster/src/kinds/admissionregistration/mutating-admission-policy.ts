import { mutatingPolicyHook } from "../../admission/mutations.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { length } from "../../schema/tables/cells.ts";
import type { Kind } from "../kind.ts";
import { paramKind } from "./policy-cells.ts";

export const mutatingAdmissionPolicy: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  cells: { Mutations: length("spec", "mutations"), ParamKind: paramKind },
  hook: () => mutatingPolicyHook,
};
