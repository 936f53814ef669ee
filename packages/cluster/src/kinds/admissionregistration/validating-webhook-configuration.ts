import { webhookHook } from "../../admission/policies.ts";
import { specOf } from "../../registry/kind-rules.ts";
import type { Kind } from "../kind.ts";
import { validateWebhooks, webhookCells } from "./webhook-validation.ts";

export const validatingWebhookConfiguration: Kind = {
  group: "admissionregistration.k8s.io",
  resource: "validatingwebhookconfigurations",
  metadataPasses: { update: 1, whole: 3 },
  isGenerallyValidated: true,
  generation: specOf,
  versionedUpdates: true,
  validate: validateWebhooks,
  cells: webhookCells,
  hook: () => webhookHook,
};
