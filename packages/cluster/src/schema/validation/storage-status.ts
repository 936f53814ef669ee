import type { KubeObject } from "../../types.ts";
import { objectAt } from "../json.ts";
import { qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

const resizing = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** pkg/apis/core/validation ValidatePersistentVolumeClaimStatusUpdate */
export function validateClaimStatus(report: Report, object: KubeObject): void {
  const statuses = Object.entries(objectAt(object, "status", "allocatedResourceStatuses") ?? {});
  const field = "status.allocatedResourceStatuses";
  for (const [name, status] of statuses) {
    validateName(report, name, field);
    if (!resizing.includes(`${status}`)) report.unsupported(field, name, resizing);
  }
  for (const name of Object.keys(objectAt(object, "status", "allocatedResources") ?? {}))
    validateName(report, name, "status.allocatedResources");
}

function validateName(report: Report, name: string, field: string): void {
  const problems = qualifiedName(name);
  report.syntax(field, name, problems);
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  if (problems.length === 0 && isNative && name !== "storage") report.unsupported(field, name, ["storage"]);
}
