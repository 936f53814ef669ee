import { specOf } from "../../registry/kind-rules.ts";
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
import { containerCells, fraction } from "../../schema/tables/cells.ts";
import { validateClaimSpec } from "../../schema/validation/claim-spec.ts";
import {
  atMostWhole,
  countOrPercent,
  labelName,
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
import { statefulSets } from "../../workloads/apps/stateful-set.ts";
import type { Kind } from "../kind.ts";
import { isNone, validateTemplateSelector } from "./workload-rules.ts";

export const statefulSet: Kind = {
  group: "apps",
  resource: "statefulsets",
  nameSyntax: labelName,
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { replicas: 0, availableReplicas: 0 },
  defaults: {
    "io.k8s.api.apps.v1.StatefulSetUpdateStrategy": rollingByDefault,
  },
  prepare: prepareStatefulSet,
  validate: validateStatefulSet,
  validateStatus: counts({
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
  }),
  podTemplate: ["spec", "template"],
  cells: {
    Ready: fraction(["status", "readyReplicas"], ["spec", "replicas"]),
    ...containerCells("spec", "template"),
  },
  simulation: { make: statefulSets },
};

function rollingByDefault(fields: JsonObject): void {
  if (fields.type === undefined) fields.rollingUpdate ??= {};
}

/** How many Pods may be missing during an update is behind a gate that is off. */
function prepareStatefulSet(object: KubeObject): KubeObject {
  const strategy = objectAt(object, "spec", "updateStrategy");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (rolling?.maxUnavailable === undefined) return object;
  const { maxUnavailable: _dropped, ...rollingUpdate } = rolling;
  const updateStrategy = { ...strategy, rollingUpdate };
  return { ...object, spec: { ...objectAt(object, "spec"), updateStrategy } };
}

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
function validateStatefulSet(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
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
