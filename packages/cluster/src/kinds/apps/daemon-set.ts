import { specOf } from "../../registry/kind-rules.ts";
import { goValue } from "../../schema/go-value.ts";
import { type JsonObject, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { containerCells, count, printLabels, selector } from "../../schema/tables/cells.ts";
import { atMostWhole, countOrPercent } from "../../schema/validation/names.ts";
import {
  refuseDeadline,
  validateNotNegative,
  validateTemplate,
} from "../../schema/validation/pod-template.ts";
import { counts } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { daemonSets } from "../../workloads/apps/daemon-set.ts";
import type { Kind } from "../kind.ts";
import { isNone, rollingUnlessNamed, validateSame, validateTemplateSelector } from "./workload-rules.ts";

const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSet: Kind = {
  group: "apps",
  resource: "daemonsets",
  notRequired: ["DaemonSetSpec.selector"],
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  defaults: {
    "io.k8s.api.apps.v1.DaemonSetUpdateStrategy": rollingUnlessNamed,
    "io.k8s.api.apps.v1.DaemonSet": defaultDaemonSet,
  },
  prepare: prepareDaemonSet,
  validate: validateDaemonSet,
  validateStatus: counts({
    notNegative: [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    collisions: true,
  }),
  podTemplate: ["spec", "template"],
  cells: {
    Desired: count("status", "desiredNumberScheduled"),
    Current: count("status", "currentNumberScheduled"),
    Ready: count("status", "numberReady"),
    "Up-to-date": count("status", "updatedNumberScheduled"),
    Available: count("status", "numberAvailable"),
    "Node Selector": (object) => printLabels(objectAt(object, "spec", "template", "spec", "nodeSelector")),
    ...containerCells("spec", "template"),
    Selector: selector("spec", "selector"),
  },
  derivedAnnotation: templateGeneration,
  simulation: { make: daemonSets },
};

/** The field that became an annotation in apps/v1; the registry counts it up. */
function defaultDaemonSet(fields: JsonObject): void {
  const metadata = objectAt(fields, "metadata");
  const annotations = {
    "deprecated.daemonset.template.generation": "0",
    ...objectAt(metadata, "annotations"),
  };
  fields.metadata = { ...metadata, annotations };
}

/** pkg/registry/apps/daemonset/strategy.go: counts the changes of the template. */
function prepareDaemonSet(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const before = Number(previous?.metadata.annotations?.[templateGeneration] ?? 0);
  const same =
    previous && sameJson(objectAt(previous, "spec", "template"), objectAt(object, "spec", "template"));
  const annotations = {
    ...object.metadata.annotations,
    [templateGeneration]: String(same ? before : before + 1),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** pkg/apis/apps/validation ValidateDaemonSet and ValidateDaemonSetUpdate */
function validateDaemonSet(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateSame(report, { object, previous, field: "spec.selector" });
  validateTemplateSelector(report, object, { kind: "daemonset", required: false });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "DaemonSet");
  validateNotNegative(report, object, ["spec.minReadySeconds"]);
  validateStrategy(report, objectAt(object, "spec", "updateStrategy") ?? {});
  validateNotNegative(report, object, ["spec.revisionHistoryLimit"]);
}

function validateStrategy(report: Report, strategy: JsonObject): void {
  const field = "spec.updateStrategy";
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  report.settle(field);
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate")
    report.unsupported(field, goValue("apps.DaemonSetUpdateStrategy", strategy), [
      "RollingUpdate",
      "OnDelete",
    ]);
  else if (rolling) validateRolling(report, rolling, `${field}.rollingUpdate`);
  else report.required(`${field}.rollingUpdate`);
}

function validateRolling(report: Report, rolling: JsonObject, field: string): void {
  const names = ["maxUnavailable", "maxSurge"];
  const amountOf = (name: string): unknown => rolling[name] ?? 0;
  for (const rule of [countOrPercent, atMostWhole])
    for (const name of names)
      for (const problem of rule(amountOf(name))) report.invalid(`${field}.${name}`, amountOf(name), problem);
  const none = names.map((name) => isNone(amountOf(name)));
  if (none.every(Boolean)) report.required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  else if (!none.some(Boolean))
    report.invalid(
      `${field}.maxSurge`,
      amountOf("maxSurge"),
      "may not be set when maxUnavailable is non-zero",
    );
}
