import { specOf } from "../../registry/kind-rules.ts";
import { listAt, numberAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { flag } from "../../schema/tables/cells.ts";
import type { Report } from "../../schema/validation/report.ts";
import { without } from "../../schema/without-fields.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

const lifecycles = ["Persistent", "Ephemeral"];

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];

const shortestTokenSeconds = 600;

export const csiDriver: Kind = {
  group: "storage.k8s.io",
  resource: "csidrivers",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  startsUncounted: true,
  versionedUpdates: true,
  prepare: (object: KubeObject): KubeObject => without(object, ["preventPodSchedulingIfMissing"]),
  validate: validateDriver,
  warnings: driverWarnings,
  cells: {
    AttachRequired: (object) => valueAt(object, "spec", "attachRequired") !== false,
    PodInfoOnMount: flag("spec", "podInfoOnMount"),
    StorageCapacity: flag("spec", "storageCapacity"),
    TokenRequests: (object) =>
      valueAt(object, "spec", "tokenRequests") === undefined
        ? "<unset>"
        : listAt(object, "spec", "tokenRequests")
            .map((request) => textAt(request, "audience"))
            .join(","),
    RequiresRepublish: flag("spec", "requiresRepublish"),
    Modes: (object) => listAt(object, "spec", "volumeLifecycleModes").join(",") || "<none>",
  },
  deletion: {
    answersObject: true,
  },
};

/** pkg/apis/storage/validation ValidateCSIDriver and ValidateCSIDriverUpdate */
function validateDriver(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const now = objectAt(object, "spec");
  report.settle("spec");
  const policy = now?.fsGroupPolicy;
  report.oneOf("spec.fsGroupPolicy", policy, groupPolicies);
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

function driverWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const [now, before] = [object, previous].map((of) => listAt(of, "spec", "tokenRequests"));
  if (sameJson(now, before)) return [];
  const isUnset = valueAt(object, "spec", "serviceAccountTokenInSecrets") === undefined;
  if (listAt(object, "spec", "tokenRequests").length === 0 || !isUnset) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}
