import { apiService } from "./api-service.ts";
import { applicationSet } from "./application-set.ts";
import { promoterRules, rollout } from "./argo-kinds.ts";
import { certificate, conditionRules } from "./condition-kinds.ts";
import { cronJob } from "./cron-job.ts";
import { customResourceDefinition } from "./custom-resource-definition.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import type { HealthRule } from "./health-rule.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";
import { ingress, oldIngress } from "./ingress.ts";
import { job } from "./job.ts";
import { operatorRules } from "./operator-kinds.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim.ts";
import { phaseRules } from "./phase-kinds.ts";
import { pod } from "./pod.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { replicaSet } from "./replica-set.ts";
import { service } from "./service.ts";
import { statefulSet } from "./stateful-set.ts";
import { workflow } from "./workflow.ts";

/** Kinds whose health is judged without a script (gitops-engine pkg/health, resource_customizations). */
export const healthRules: readonly HealthRule[] = [
  apiService,
  applicationSet,
  cronJob,
  customResourceDefinition,
  daemonSet,
  deployment,
  horizontalPodAutoscaler,
  ingress,
  oldIngress,
  job,
  persistentVolumeClaim,
  pod,
  podDisruptionBudget,
  replicaSet,
  service,
  statefulSet,
  workflow,
  rollout,
  certificate,
  ...promoterRules,
  ...conditionRules,
  ...operatorRules,
  ...phaseRules,
];
