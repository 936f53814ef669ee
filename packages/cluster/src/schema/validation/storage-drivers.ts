import type { KubeObject } from "../../types.ts";
import { type JsonObject, listAt, objectAt, sameJson, textAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { notNegative, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

const lifecycles = ["Persistent", "Ephemeral"];

/** pkg/apis/storage/validation ValidateCSIDriver and ValidateCSIDriverUpdate */
export function validateDriver(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const now = objectAt(object, "spec");
  const modes = listAt(now, "volumeLifecycleModes");
  for (const mode of modes)
    if (!lifecycles.includes(`${mode}`)) report.unsupported("spec.volumeLifecycleModes", mode, lifecycles);
  const before = objectAt(previous, "spec");
  if (!before) return;
  if (now?.attachRequired !== before.attachRequired)
    report.invalid("spec.attachedRequired", now?.attachRequired ?? null, "field is immutable");
  if (!sameJson(modes, listAt(before, "volumeLifecycleModes")))
    report.invalid("spec.volumeLifecycleModes", modes, "field is immutable");
}

/** ValidateCSIStorageCapacity */
export function validateCapacity(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const name = textAt(object, "storageClassName");
  report.syntax("storageClassName", name, subdomainName(name));
  for (const field of ["capacity", "maximumVolumeSize"]) {
    const amount = object[field];
    if (typeof amount === "string" && (parseQuantity(amount)?.nanos ?? 0n) < 0n)
      report.invalid(field, amount, notNegative);
  }
  for (const field of ["nodeTopology", "storageClassName"])
    if (previous && !sameJson(object[field], previous[field]))
      report.invalid(field, object[field] ?? null, "field is immutable");
}

/** ValidateVolumeAttachment */
export function validateAttachment(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = objectAt(object, "spec");
  if (!textAt(spec, "attacher")) report.required("spec.attacher");
  const source = objectAt(spec, "source");
  const given = ["inlineVolumeSpec", "persistentVolumeName"].filter((name) => source?.[name] !== undefined);
  const rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (given.length === 0) report.required("spec.source", rule);
  else if (given.length > 1) report.forbidden("spec.source", rule);
  const node = textAt(spec, "nodeName");
  report.syntax("spec.nodeName", node, subdomainName(node));
  if (previous && !sameJson(spec, objectAt(previous, "spec")))
    report.invalid("spec", printedAttachment(spec, source), "field is immutable");
}

function printedAttachment(spec: JsonObject | undefined, source: JsonObject | undefined): JsonObject {
  return {
    Attacher: textAt(spec, "attacher"),
    Source: {
      PersistentVolumeName: source?.persistentVolumeName ?? null,
      InlineVolumeSpec: source?.inlineVolumeSpec ?? null,
    },
    NodeName: textAt(spec, "nodeName"),
  };
}

/** ValidateVolumeAttributesClass */
export function validateAttributesClass(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  if (!textAt(object, "driverName")) report.required("driverName");
  if (Object.keys(objectAt(object, "parameters") ?? {}).length === 0)
    report.required("parameters", "must contain at least one key/value pair");
  for (const field of ["driverName", "parameters"])
    if (previous && !sameJson(object[field], previous[field]))
      report.forbidden(field, `updates to ${field} are forbidden.`);
}
