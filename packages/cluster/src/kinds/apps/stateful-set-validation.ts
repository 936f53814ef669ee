import { goValue } from "../../schema/go-value.ts";
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  sameJson,
  textAt,
} from "../../schema/json.ts";
import { validateClaimSpec } from "../../schema/validation/claim-spec.ts";
import {
  atMostWhole,
  countOrPercent,
  notNegative,
  undottedLabelName,
} from "../../schema/validation/names.ts";
import {
  refuseDeadline,
  validateNotNegative,
  validateTemplate,
} from "../../schema/validation/pod-template.ts";
import { counts } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { isNone, validateTemplateSelector } from "./workload-rules.ts";

/** Everything else in the spec is what the set was created with. */
const mayChange = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

/** pkg/apis/apps/validation ValidateStatefulSet and ValidateStatefulSetUpdate */
export function validateStatefulSet(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = objectAt(object, "spec") ?? {};
  const management = textAt(spec, "podManagementPolicy");
  if (management !== "OrderedReady" && management !== "Parallel")
    report.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
  validateStrategy(report, objectAt(spec, "updateStrategy") ?? {});
  validateRetention(report, objectAt(spec, "persistentVolumeClaimRetentionPolicy"));
  report.settle("spec.volumeClaimTemplates");
  if (!previous)
    for (const [index, claim] of listAt(spec, "volumeClaimTemplates").entries())
      validateClaimSpec(report, objectAt(claim, "spec") ?? {}, {
        field: `spec.volumeClaimTemplates[${index}].spec`,
      });
  validateNotNegative(report, object, ["spec.replicas", "spec.minReadySeconds", "spec.ordinals.start"]);
  const service = textAt(spec, "serviceName");
  if (service && !previous) report.syntax("spec.serviceName", service, undottedLabelName(service));
  validateTemplateSelector(report, object, { kind: "statefulset", required: true });
  validateSetTemplate(report, spec);
  refuseDeadline(report, object, "StatefulSet");
  if (previous) validateChange(report, spec, objectAt(previous, "spec") ?? {});
}

/** Claims of the set stand in for volumes of the same name; hostname and subdomain are not the author's. */
function validateSetTemplate(report: Report, spec: JsonObject): void {
  const names = listAt(spec, "volumeClaimTemplates").map((claim) => textAt(claim, "metadata", "name"));
  const claims = new Set(names);
  const template = objectAt(spec, "template");
  const { hostname: _hostname, subdomain: _subdomain, ...pod } = objectAt(template, "spec") ?? {};
  const volumes = [
    ...[...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...listAt(pod, "volumes").filter((volume) => !claims.has(textAt(volume, "name"))),
  ];
  validateTemplate(report, isObject(template) ? { ...template, spec: { ...pod, volumes } } : template, {
    field: "spec.template",
    restart: ["Always"],
    claimTemplates: claims,
  });
}

function validateChange(report: Report, spec: JsonObject, before: JsonObject): void {
  if (sameJson(without(spec), without(before))) return;
  const names = mayChange.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  report.forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`);
}

function without(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !mayChange.includes(key)));
}

const retentions = ["Retain", "Delete"];

function validateRetention(report: Report, policy: JsonObject | undefined): void {
  for (const name of ["whenDeleted", "whenScaled"]) {
    const value = textAt(policy, name);
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    if (policy && !retentions.includes(value)) report.unsupported(field, value, retentions);
  }
}

function validateStrategy(report: Report, strategy: JsonObject): void {
  const field = "spec.updateStrategy";
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (type === "OnDelete") {
    if (rolling)
      report.invalid(
        `${field}.rollingUpdate`,
        goValue("apps.RollingUpdateStatefulSetStrategy", rolling),
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    return;
  }
  if (type !== "RollingUpdate") {
    const printed = goValue("apps.StatefulSetUpdateStrategy", strategy);
    report.invalid(field, printed, "must be 'RollingUpdate' or 'OnDelete'");
    return;
  }
  const partition = numberAt(rolling, "partition");
  if (partition !== undefined && partition < 0)
    report.invalid(`${field}.rollingUpdate.partition`, partition, notNegative);
  if (rolling?.maxUnavailable !== undefined) validateUnavailable(report, rolling.maxUnavailable);
}

function validateUnavailable(report: Report, amount: unknown): void {
  const field = "spec.updateStrategy.rollingUpdate.maxUnavailable";
  for (const problem of countOrPercent(amount)) report.invalid(field, amount, problem);
  if (isNone(amount)) report.invalid(field, amount, "cannot be 0");
  for (const problem of atMostWhole(amount)) report.invalid(field, amount, problem);
}

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
