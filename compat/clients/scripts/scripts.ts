import type { Script } from "../script.ts";
import { helmLife } from "./helm-life.ts";
import { helmTrouble } from "./helm-trouble.ts";
import { kubectlApply } from "./kubectl-apply.ts";
import { kubectlCreate } from "./kubectl-create.ts";
import { kubectlEdit } from "./kubectl-edit.ts";
import { kubectlLook } from "./kubectl-look.ts";
import { kubectlServer } from "./kubectl-server.ts";
import { kubectlWorkloads } from "./kubectl-workloads.ts";

export const scripts: readonly Script[] = [
  ...kubectlApply,
  ...kubectlCreate,
  ...kubectlEdit,
  ...kubectlLook,
  ...kubectlServer,
  ...kubectlWorkloads,
  ...helmLife,
  ...helmTrouble,
];
