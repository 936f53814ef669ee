import { isObject, type JsonObject, listAt, textAt } from "../json.ts";
import { type PodContext, validateContainerBody } from "./container.ts";
import type { Report } from "./report.ts";

/** Fields that only containers of a workload have, in the order of Go's struct. */
const refused = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

/** pkg/apis/core/validation validateEphemeralContainers */
export function validateEphemeral(
  report: Report,
  spec: JsonObject | undefined,
  { field, context }: { field: string; context: PodContext },
): void {
  const others = new Set(context.names);
  for (const [index, container] of listAt(spec, "ephemeralContainers").entries()) {
    const at = `${field}.ephemeralContainers[${index}]`;
    report.settle(at);
    const name = textAt(container, "name");
    validateContainerBody(report, container, { field: at, context });
    if (context.names.has(name)) report.duplicate(`${at}.name`, name);
    context.names.add(name);
    const target = textAt(container, "targetContainerName");
    if (target && !others.has(target)) report.notFound(`${at}.targetContainerName`, target);
    const given = isObject(container) ? container : {};
    for (const one of refused)
      if (isSet(given[one])) report.forbidden(`${at}.${one}`, "cannot be set for an Ephemeral Container");
    for (const [place, mount] of listAt(container, "volumeMounts").entries())
      for (const one of ["subPath", "subPathExpr"])
        if (textAt(mount, one))
          report.forbidden(`${at}.volumeMounts[${place}].${one}`, "cannot be set for an Ephemeral Container");
  }
}

/** An empty struct is Go's zero value; an empty list is none. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(isObject(value) && Object.keys(value).length === 0);
}
