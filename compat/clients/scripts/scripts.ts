import type { Script } from "../script.ts";
import { helmLife } from "./helm-life.ts";
import { helmTrouble } from "./helm-trouble.ts";
import { kubectlAdmission } from "./kubectl-admission.ts";
import { kubectlApply } from "./kubectl-apply.ts";
import { kubectlCreate } from "./kubectl-create.ts";
import { kubectlDescribe } from "./kubectl-describe.ts";
import { kubectlEdit } from "./kubectl-edit.ts";
import { kubectlLook } from "./kubectl-look.ts";
import { kubectlNodes } from "./kubectl-nodes.ts";
import { kubectlOutputs } from "./kubectl-outputs.ts";
import { kubectlServer } from "./kubectl-server.ts";
import { kubectlWorkloads } from "./kubectl-workloads.ts";

export const scripts: readonly Script[] = [
  ...kubectlAdmission,
  ...kubectlApply,
  ...kubectlCreate,
  ...kubectlDescribe,
  ...kubectlEdit,
  ...kubectlLook,
  ...kubectlNodes,
  ...kubectlOutputs,
  ...kubectlServer,
  ...kubectlWorkloads,
  ...helmLife,
  ...helmTrouble,
];
