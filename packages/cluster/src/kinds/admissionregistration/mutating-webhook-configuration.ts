import { webhookHook } from "../../admission/policies.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { webhookCells } from "../../schema/tables/access.ts";
import { validateWebhooks } from "../../schema/validation/admission.ts";
import type { Kind } from "../kind.ts";

export const mutatingWebhookConfiguration: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingwebhookconfigurations",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  validate: validateWebhooks,
  cells: webhookCells,
  hook: () => webhookHook,
};
