import type { KubeObject } from "../../types.ts";
import { goSelector, goValue } from "../go-value.ts";
import { type JsonObject, listAt, numberAt, objectAt, sameJson, textAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { validateDriverName } from "./csi-sources.ts";
import { notNegative, subdomainName } from "./names.ts";
import { validateVolumeSpec } from "./persistent-volume.ts";
import type { Report } from "./report.ts";
import { validateProvisioner } from "./storage.ts";

const lifecycles = ["Persistent", "Ephemeral"];

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];

/** pkg/apis/storage/validation ValidateCSIDriver and ValidateCSIDriverUpdate */
export function validateDriver(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const now = objectAt(object, "spec");
  report.settle("spec");
  const policy = now?.fsGroupPolicy;
  if (policy !== undefined && !groupPolicies.includes(`${policy}`))
    report.unsupported("spec.fsGroupPolicy", policy, groupPolicies);
  const requests = listAt(now, "tokenRequests");
  validateTokens(report, requests);
  const modes = listAt(now, "volumeLifecycleModes");
  for (const mode of modes)
    if (!lifecycles.includes(`${mode}`)) report.unsupported("spec.volumeLifecycleModes", mode, lifecycles);
  const period = numberAt(now, "nodeAllocatableUpdatePeriodSeconds");
  if (period !== undefined && period < 10)
    report.invalid(
      "spec.nodeAllocatableUpdatePeriodSeconds",
      period,
      "must be greater than or equal to 10 seconds",
    );
  const secret = now?.serviceAccountTokenInSecrets;
  if (secret !== undefined && requests.length === 0)
    report.invalid(
      "spec.serviceAccountTokenInSecrets",
      secret,
      "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    );
  const before = objectAt(previous, "spec");
  if (!before) return;
  if (now?.attachRequired !== before.attachRequired)
    report.invalid("spec.attachedRequired", now?.attachRequired ?? null, "field is immutable");
  if (!sameJson(modes, listAt(before, "volumeLifecycleModes")))
    report.invalid("spec.volumeLifecycleModes", now?.volumeLifecycleModes ?? null, "field is immutable");
}

const shortestTokenSeconds = 600;

function validateTokens(report: Report, requests: readonly unknown[]): void {
  const audiences = new Set<string>();
  for (const [index, request] of requests.entries()) {
    const field = `spec.tokenRequests[${index}]`;
    const audience = textAt(request, "audience");
    if (audiences.has(audience)) {
      report.duplicate(`${field}.audience`, audience);
      continue;
    }
    audiences.add(audience);
    const seconds = numberAt(request, "expirationSeconds");
    if (seconds !== undefined && seconds < shortestTokenSeconds)
      report.invalid(
        `${field}.expirationSeconds`,
        seconds,
        "may not specify a duration less than 10 minutes",
      );
    if (seconds !== undefined && seconds > 2 ** 32)
      report.invalid(
        `${field}.expirationSeconds`,
        seconds,
        "may not specify a duration larger than 2^32 seconds",
      );
  }
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
      report.invalid(field, goSelector(object[field] ?? null), "field is immutable");
}

/** ValidateVolumeAttachment */
export function validateAttachment(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = objectAt(object, "spec");
  report.settle("spec");
  validateDriverName(report, textAt(spec, "attacher"), "spec.attacher");
  validateAttached(report, objectAt(spec, "source"), "spec.source");
  const node = textAt(spec, "nodeName");
  report.syntax("spec.nodeName", node, subdomainName(node));
  for (const name of ["attachError", "detachError"]) {
    const code = numberAt(object, "status", name, "errorCode");
    if (code !== undefined && code < 0)
      report.invalid(`status.${name}.errorCode`, code, "must be between 0 and 2147483647, inclusive");
  }
  const named = spec && objectAt(spec, "source")?.persistentVolumeName;
  if (typeof named === "string")
    report.syntax("spec.source.persistentVolumeName", named, subdomainName(named));
  const [now, before] = [spec, objectAt(previous, "spec")].map((value) =>
    goValue("storage.VolumeAttachmentSpec", value),
  );
  if (previous && !sameJson(now, before)) report.invalid("spec", now, "field is immutable");
}

function validateAttached(report: Report, source: JsonObject | undefined, field: string): void {
  const [name, inline] = [source?.persistentVolumeName, objectAt(source, "inlineVolumeSpec")];
  const rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined && !inline) report.required(field, rule);
  else if (name !== undefined && inline) report.forbidden(field, rule);
  else if (inline) validateVolumeSpec(report, inline, { field: `${field}.inlineVolumeSpec`, inline: true });
  else if (name === "")
    report.required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName");
}

/** ValidateVolumeAttributesClass */
export function validateAttributesClass(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  for (const field of ["driverName", "parameters"])
    if (previous && !sameJson(object[field], previous[field]))
      report.forbidden(field, `updates to ${field} are forbidden.`);
  validateProvisioner(report, textAt(object, "driverName"), "driverName");
  if (Object.keys(objectAt(object, "parameters") ?? {}).length === 0)
    report.required("parameters", "must contain at least one key/value pair");
}
