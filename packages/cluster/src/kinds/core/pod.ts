import { podHook } from "../../admission/pods.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt, fieldsAt } from "../../registry/selectable-fields.ts";
import {
  defaultContainer,
  defaultImageVolume,
  defaultPod,
  defaultPodSpec,
  defaultPodStatus,
  defaultVolume,
} from "../../schema/defaulting/pod.ts";
import { objectAt, textAt } from "../../schema/json.ts";
import { preparePod } from "../../schema/prepare-pod.ts";
import { podCells, podRowConditions } from "../../schema/tables/pod.ts";
import { validatePod } from "../../schema/validation/kinds.ts";
import { podCreationWarnings } from "../../schema/warnings/warnings.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const pod: Kind = {
  group: "",
  resource: "pods",
  generation: specOf,
  newStatus: { phase: "Pending" },
  defaults: {
    "io.k8s.api.core.v1.Container": defaultContainer,
    "io.k8s.api.core.v1.EphemeralContainer": defaultContainer,
    "io.k8s.api.core.v1.PodSpec": defaultPodSpec,
    "io.k8s.api.core.v1.Pod": defaultPod,
    "io.k8s.api.core.v1.PodStatus": defaultPodStatus,
    "io.k8s.api.core.v1.Volume": defaultVolume,
    "io.k8s.api.core.v1.ImageVolumeSource": defaultImageVolume,
  },
  prepare: preparePod,
  validate: validatePod,
  warnings: podCreationWarnings,
  cells: podCells,
  rowConditions: podRowConditions,
  selectors: {
    ...fieldsAt(
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ),
    "spec.hostNetwork": fieldAt("spec.hostNetwork", "false"),
  },
  deletion: {
    graceSeconds,
    endsMarked: true,
    answersObject: true,
  },
  hook: ({ store }) => podHook(store),
};

/** What runs is given time to end (pkg/registry/core/pod strategy.CheckGracefulDelete). */
function graceSeconds(object: KubeObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds: wanted } = objectAt(object, "spec") ?? {};
  const phase = textAt(object, "status", "phase");
  if (!nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  const seconds = Math.max(asked ?? (typeof wanted === "number" ? wanted : 30), 0);
  return Math.min(seconds, object.metadata.deletionGracePeriodSeconds ?? seconds);
}
