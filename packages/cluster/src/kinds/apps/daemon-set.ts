import { specOf } from "../../registry/kind-rules.ts";
import { defaultDaemonSet, rollingUnlessNamed } from "../../schema/defaulting/workload.ts";
import { prepareDaemonSet, templateGeneration } from "../../schema/prepare.ts";
import { daemonSetCells } from "../../schema/tables/workload.ts";
import { validateDaemonSet } from "../../schema/validation/daemon-set.ts";
import { daemonSetStatus } from "../../schema/validation/status.ts";
import { daemonSets } from "../../workloads/apps/daemon-set.ts";
import type { Kind } from "../kind.ts";

export const daemonSet: Kind = {
  group: "apps",
  resource: "daemonsets",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  defaults: {
    "io.k8s.api.apps.v1.DaemonSetUpdateStrategy": rollingUnlessNamed,
    "io.k8s.api.apps.v1.DaemonSet": defaultDaemonSet,
  },
  prepare: prepareDaemonSet,
  validate: validateDaemonSet,
  validateStatus: daemonSetStatus,
  podTemplate: ["spec", "template"],
  cells: daemonSetCells,
  derivedAnnotation: templateGeneration,
  simulation: { make: daemonSets },
};
