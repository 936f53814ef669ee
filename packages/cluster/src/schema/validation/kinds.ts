import type { KubeObject } from "../../types.ts";
import { listAt, objectAt } from "../json.ts";
import { validateFinalizer } from "./metadata.ts";
import { validatePodSpec } from "./pod-spec.ts";
import { validatePodUpdate } from "./pod-update.ts";
import type { Report } from "./report.ts";

export function validatePod(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validatePodSpec(report, objectAt(object, "spec"), { field: "spec" });
  if (!previous && listAt(object, "spec", "ephemeralContainers").length > 0)
    report.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (previous) validatePodUpdate(report, object, previous);
}

export function validateNamespace(report: Report, object: KubeObject): void {
  for (const finalizer of listAt(object, "spec", "finalizers"))
    validateFinalizer(report, `${finalizer}`, { field: "spec.finalizers", standard: "spec.finalizers" });
}
