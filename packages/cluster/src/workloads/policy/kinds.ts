import type { KubeObject } from "../../types.ts";
import type { Condition, IntOrString, LabelSelector } from "../kinds.ts";

export interface HorizontalPodAutoscaler extends KubeObject {
  spec: {
    minReplicas?: number;
    maxReplicas: number;
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
  };
  status?: {
    conditions?: readonly Condition[];
    currentReplicas?: number;
    desiredReplicas?: number;
    lastScaleTime?: string;
    observedGeneration?: number;
  };
}

export interface PodDisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelector; minAvailable?: IntOrString; maxUnavailable?: IntOrString };
  status?: { conditions?: readonly Condition[]; disruptedPods?: Record<string, string> };
}

export interface APIService extends KubeObject {
  spec: { service?: object };
  status?: { conditions?: readonly Condition[] };
}

export interface FlowSchema extends KubeObject {
  spec: { priorityLevelConfiguration: { name: string } };
  status?: { conditions?: readonly Condition[] };
}

/** What a HorizontalPodAutoscaler can scale. */
export interface Scalable extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas?: number };
}
