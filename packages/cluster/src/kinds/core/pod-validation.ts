import { goDiff, goValue } from "../../schema/go-value.ts";
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  sameJson,
  textAt,
} from "../../schema/json.ts";
import { validatePodSpec } from "../../schema/validation/pod-spec.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";

export function validatePod(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validatePodSpec(report, objectAt(object, "spec"), { field: "spec" });
  if (!previous && listAt(object, "spec", "ephemeralContainers").length > 0)
    report.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (previous) validatePodUpdate(report, object, previous);
}

const mayChange =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** pkg/apis/core/validation ValidatePodUpdate */
function validatePodUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  const now = objectAt(object, "spec") ?? {};
  const before = objectAt(previous, "spec") ?? {};
  if (sameJson(now, before)) return;
  for (const list of ["containers", "initContainers"])
    if (listAt(now, list).length !== listAt(before, list).length) {
      report.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
      return;
    }
  for (const list of ["containers", "initContainers"])
    for (const [index, container] of listAt(now, list).entries())
      if (!textAt(container, "image")) report.required(`spec.${list}[${index}].image`);
  if (!validateDeadline(report, now, before)) return;
  validateAddedTolerations(report, now, before);
  validateGates(report, now, before);
  const diff = goDiff("core.PodSpec", before, withChangeable(now, before));
  if (diff !== "")
    report.forbidden("spec", `pod updates may not change fields other than ${mayChange}\n${diff}`);
}

/** It may be set, and lessened. */
function validateDeadline(report: Report, now: JsonObject, before: JsonObject): boolean {
  const field = "spec.activeDeadlineSeconds";
  const [seconds, known] = [
    numberAt(now, "activeDeadlineSeconds"),
    numberAt(before, "activeDeadlineSeconds"),
  ];
  if (seconds === undefined) {
    if (known !== undefined)
      report.invalid(field, null, "must not update from a positive integer to nil value");
    return true;
  }
  if (seconds < 0 || seconds > 2 ** 31 - 1)
    report.invalid(field, seconds, "must be between 0 and 2147483647, inclusive");
  else if (known !== undefined && known < seconds)
    report.invalid(field, seconds, "must be less than or equal to previous value");
  else return true;
  return false;
}

function validateAddedTolerations(report: Report, now: JsonObject, before: JsonObject): void {
  const timeless = (toleration: unknown): unknown => {
    const printed = goValue("core.Toleration", toleration);
    return isObject(printed) ? { ...printed, TolerationSeconds: null } : printed;
  };
  const kept = listAt(now, "tolerations").map(timeless);
  const isKept = listAt(before, "tolerations").every((old) =>
    kept.some((toleration) => sameJson(toleration, timeless(old))),
  );
  if (!isKept)
    report.forbidden(
      "spec.tolerations",
      "existing toleration can not be modified except its tolerationSeconds",
    );
}

function validateGates(report: Report, now: JsonObject, before: JsonObject): void {
  const known = listAt(before, "schedulingGates").map((gate) => textAt(gate, "name"));
  for (const [index, gate] of listAt(now, "schedulingGates").entries()) {
    const name = textAt(gate, "name");
    if (!known.includes(name))
      report.forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      );
  }
}

/** The new state with all that may change as it was. */
function withChangeable(now: JsonObject, before: JsonObject): JsonObject {
  const munged: JsonObject = { ...now };
  for (const list of ["containers", "initContainers"]) {
    const containers = listAt(now, list).map((container, index) => {
      const image = textAt(listAt(before, list)[index], "image");
      return isObject(container) ? { ...container, image } : container;
    });
    munged[list] = containers.length > 0 ? containers : null;
  }
  for (const name of ["activeDeadlineSeconds", "schedulingGates", "tolerations"]) munged[name] = before[name];
  const [grace, old] = [now.terminationGracePeriodSeconds, before.terminationGracePeriodSeconds];
  if (typeof old === "number" && old < 0 && grace === 1) munged.terminationGracePeriodSeconds = old;
  return munged;
}
