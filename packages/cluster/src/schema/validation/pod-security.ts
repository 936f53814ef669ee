import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../json.ts";
import type { Report } from "./report.ts";

const largestId = 2 ** 31 - 1;

export function validateIds(
  report: Report,
  security: JsonObject | undefined,
  { field, names }: { field: string; names: readonly string[] },
): void {
  for (const name of names) validateId(report, numberAt(security, name), `${field}.${name}`);
}

function validateId(report: Report, id: unknown, field: string): void {
  if (typeof id === "number" && (id < 0 || id > largestId))
    report.invalid(field, id, `must be between 0 and ${largestId}, inclusive`);
}

/** pkg/apis/core/validation validatePodSpecSecurityContext */
export function validatePodSecurity(report: Report, security: JsonObject | undefined, field: string): void {
  validateIds(report, security, { field, names: ["fsGroup", "runAsUser", "runAsGroup"] });
  for (const [index, group] of listAt(security, "supplementalGroups").entries())
    validateId(report, group, `${field}.supplementalGroups[${index}]`);
  const change = security?.fsGroupChangePolicy;
  if (change !== undefined && change !== "Always" && change !== "OnRootMismatch")
    report.unsupported(`${field}.fsGroupChangePolicy`, change, ["Always", "OnRootMismatch"]);
  validateProfiles(report, security, field);
  const groups = security?.supplementalGroupsPolicy;
  if (groups !== undefined && groups !== "Merge" && groups !== "Strict")
    report.unsupported(`${field}.supplementalGroupsPolicy`, groups, ["Merge", "Strict"]);
  const labels = security?.seLinuxChangePolicy;
  if (labels !== undefined && labels !== "Recursive")
    report.unsupported(`${field}.seLinuxChangePolicy`, labels, ["Recursive"]);
}

const types = ["Localhost", "RuntimeDefault", "Unconfined"];

/** validateSeccompProfileField and ValidateAppArmorProfileField */
export function validateProfiles(report: Report, security: JsonObject | undefined, field: string): void {
  validateProfile(report, objectAt(security, "seccompProfile"), {
    field: `${field}.seccompProfile`,
    name: "seccomp",
  });
  validateProfile(report, objectAt(security, "appArmorProfile"), {
    field: `${field}.appArmorProfile`,
    name: "AppArmor",
  });
}

function validateProfile(
  report: Report,
  profile: JsonObject | undefined,
  { field, name }: { field: string; name: string },
): void {
  if (!profile) return;
  report.settle(field);
  const type = textAt(profile, "type");
  const local = profile.localhostProfile;
  const at = `${field}.localhostProfile`;
  if (!type && name === "AppArmor")
    report.required(`${field}.type`, "type is required when appArmorProfile is set");
  else if (!type) report.required(`${field}.type`, "type is required when seccompProfile is set");
  else if (!types.includes(type)) report.unsupported(`${field}.type`, type, types);
  if (type === "Localhost") {
    if (typeof local !== "string") report.required(at, `must be set when ${name} type is Localhost`);
    else if (name === "AppArmor" && local.trim() === "")
      report.required(at, `must be set when ${name} type is Localhost`);
  } else if (local !== undefined) report.invalid(at, local, `can only be set when ${name} type is Localhost`);
}
