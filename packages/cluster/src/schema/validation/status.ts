import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, textAt } from "../json.ts";
import { validateConditionList } from "./conditions.ts";
import { notNegative } from "./names.ts";
import type { Report } from "./report.ts";

export type StatusRule = (report: Report, object: KubeObject, previous: KubeObject | undefined) => void;

interface Counts {
  notNegative: readonly string[];
  /** At most status.replicas. */
  ofReplicas?: readonly string[];
  /** What is said of more available than ready replicas. */
  ready?: string;
  /** status.collisionCount never goes back. */
  collisions?: boolean;
}

export const counts =
  (rule: Counts): StatusRule =>
  (report, { status }, previous) => {
    for (const name of rule.notNegative) {
      const count = numberAt(status, name);
      if (count !== undefined && count < 0) report.invalid(`status.${name}`, count, notNegative);
    }
    const of = (name: string): number => numberAt(status, name) ?? 0;
    for (const name of rule.ofReplicas ?? [])
      if (of(name) > of("replicas"))
        report.invalid(`status.${name}`, of(name), "cannot be greater than status.replicas");
    if (rule.ready !== undefined && of("availableReplicas") > of("readyReplicas"))
      report.invalid("status.availableReplicas", of("availableReplicas"), rule.ready);
    const known = numberAt(previous, "status", "collisionCount");
    if (rule.collisions && known !== undefined && of("collisionCount") < known)
      report.invalid("status.collisionCount", of("collisionCount"), "cannot be decremented");
  };

const replicated = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
const ready = "cannot be greater than readyReplicas";

export const replicaSetStatus = counts({
  notNegative: ["replicas", ...replicated, "observedGeneration", "terminatingReplicas"],
  ofReplicas: replicated,
  ready,
});

export function validateBudgetStatus(report: Report, object: KubeObject): void {
  validateConditionList(report, listAt(object, "status", "conditions"));
  counts({ notNegative: ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] })(
    report,
    object,
    undefined,
  );
}

const featureName = /^[A-Z][A-Za-z0-9]*(?:\/[A-Z][A-Za-z0-9]*)*$/;

/** pkg/apis/core/validation validateNodeDeclaredFeatures, as far as a name alone tells. */
export function validateFeatures(report: Report, object: KubeObject): void {
  for (const [index, name] of listAt(object, "status", "declaredFeatures").entries())
    if (!featureName.test(`${name}`))
      report.invalid(
        `status.declaredFeatures[${index}]`,
        name,
        `invalid feature name ${JSON.stringify(name)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
      );
}

export function validatePolicyStatus(report: Report, object: KubeObject): void {
  const warnings = listAt(object, "status", "typeChecking", "expressionWarnings");
  for (const [index, warning] of warnings.entries())
    for (const name of ["warning", "fieldRef"])
      if (!textAt(warning, name).trim())
        report.required(`status.typeChecking.expressionWarnings[${index}].${name}`);
  validateConditionList(report, listAt(object, "status", "conditions"));
}

export function validateApiServiceStatus(report: Report, object: KubeObject): void {
  for (const [index, condition] of listAt(object, "status", "conditions").entries()) {
    const status = textAt(condition, "status");
    const known = ["True", "False", "Unknown"];
    if (!known.includes(status)) report.unsupported(`status.conditions[${index}].status`, status, known);
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

export function validateIssued(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const issued = textAt(object, "status", "certificate");
  const known = ["True", "False", "Unknown"];
  for (const [index, condition] of listAt(object, "status", "conditions").entries()) {
    const field = `status.conditions[${index}]`;
    const status = textAt(condition, "status");
    if (!textAt(condition, "type")) report.required(`${field}.type`);
    if (!status) report.required(`${field}.status`);
    else if (!known.includes(status))
      report.unsupported(`${field}.status`, status, ["False", "True", "Unknown"]);
  }
  if (issued === "" || issued === textAt(previous, "status", "certificate")) return;
  const field = "status.certificate";
  const text = Buffer.from(issued, "base64").toString("latin1");
  if (!certificate.test(text))
    report.invalid(field, "<certificate data>", "must contain at least one CERTIFICATE PEM block");
}

export function validateServiceStatus(report: Report, object: KubeObject): void {
  const ingress = listAt(object, "status", "loadBalancer", "ingress");
  if (textAt(object, "spec", "type") !== "LoadBalancer" && ingress.length > 0)
    report.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
}

export const volumeStatus = counts({ notNegative: [] });

export const daemonSetStatus = counts({
  notNegative: [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
  collisions: true,
});

export const deploymentStatus = counts({
  notNegative: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  ofReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  ready,
  collisions: true,
});

export const statefulSetStatus = counts({
  notNegative: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  ofReplicas: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  ready: "cannot be greater than status.readyReplicas",
  collisions: true,
});

export const autoscalerStatus = counts({ notNegative: ["currentReplicas", "desiredReplicas"] });
