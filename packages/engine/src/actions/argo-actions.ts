import { formatTime } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import {
  type ImpactedObject,
  type ObjectAction,
  ownerOf,
  patched,
  setting,
  timeParts,
  unless,
  valueAt,
  withValue,
} from "./action.ts";
import { stringsOf } from "./workload-actions.ts";

const listAt = (live: Manifest, ...path: string[]): readonly unknown[] => {
  const list = valueAt(live, ...path);
  return Array.isArray(list) ? list : [];
};
const isTrue = (live: Manifest, ...path: string[]): boolean => valueAt(live, ...path) === true;
const canarySteps = ["spec", "strategy", "canary", "steps"] as const;

const isPromoted = (live: Manifest): boolean =>
  valueAt(live, "status", "currentPodHash") === valueAt(live, "status", "stableRS");

/** By its pause conditions, or, where an old controller wrote none, by its spec. */
function isHeld(live: Manifest): boolean {
  if (valueAt(live, "status", "pauseConditions") !== undefined)
    return listAt(live, "status", "pauseConditions").length > 0;
  return isTrue(live, "spec", "paused");
}

/** A controller from before 0.10 wrote a hash for the generation that it had seen. */
function isOfOldController(live: Manifest): boolean {
  const seen = valueAt(live, "status", "observedGeneration");
  const generation = seen === undefined || seen === "" ? Number.NaN : Number(seen);
  return !(generation <= Number(live.metadata.generation ?? 0));
}

function withoutPauses(live: Manifest): Manifest {
  const isPausing = listAt(live, "status", "pauseConditions").length > 0;
  return isPausing ? withValue(live, ["status", "pauseConditions"], undefined) : live;
}

const isLastStep = (live: Manifest): boolean => {
  const steps = valueAt(live, ...canarySteps);
  return !Array.isArray(steps) || valueAt(live, "status", "currentStepIndex") === steps.length;
};

/** resource_customizations/argoproj.io/Rollout/actions. */
const rollout: readonly ObjectAction[] = [
  {
    name: "restart",
    displayName: "Restart Pods",
    perform: (live, { nowMs }) => patched(withValue(live, ["spec", "restartAt"], formatTime(nowMs))),
  },
  {
    name: "resume",
    stateOf: (live) => unless(!isHeld(live)),
    perform(live) {
      const resumed = withoutPauses(live);
      return patched(
        isTrue(live, "spec", "paused") ? withValue(resumed, ["spec", "paused"], false) : resumed,
      );
    },
  },
  {
    name: "abort",
    stateOf: (live) => unless(isPromoted(live) || isTrue(live, "status", "abort")),
    perform: setting(["status", "abort"], true),
  },
  {
    name: "retry",
    stateOf: (live) => unless(isPromoted(live) || !isTrue(live, "status", "abort")),
    perform: setting(["status", "abort"], undefined),
  },
  {
    name: "pause",
    stateOf: (live) =>
      unless(isPromoted(live) || isTrue(live, "status", "abort") || isTrue(live, "spec", "paused")),
    perform: setting(["spec", "paused"], true),
  },
  {
    name: "promote-full",
    stateOf(live) {
      if (live.status === undefined || isPromoted(live)) return "disabled";
      return unless(isOfOldController(live) && valueAt(live, "spec", "strategy", "blueGreen") !== undefined);
    },
    perform(live) {
      if (live.status === undefined) return patched(live);
      if (!isOfOldController(live)) return patched(withValue(live, ["status", "promoteFull"], true));
      const resumed = withValue(live, ["status", "abort"], undefined);
      const steps = valueAt(live, ...canarySteps);
      return patched(
        Array.isArray(steps) ? withValue(resumed, ["status", "currentStepIndex"], steps.length) : resumed,
      );
    },
  },
  {
    name: "skip-current-step",
    stateOf: (live) => unless(isLastStep(live)),
    perform(live) {
      const at = valueAt(live, "status", "currentStepIndex");
      if (typeof at !== "number" || at >= listAt(live, ...canarySteps).length) return patched(live);
      return patched(withValue(withoutPauses(live), ["status", "currentStepIndex"], at + 1));
    },
  },
];

const ended: readonly unknown[] = ["Successful", "Failed", "Error", "Inconclusive"];

const analysisRun: ObjectAction = {
  name: "terminate",
  stateOf: (live) =>
    unless(isTrue(live, "spec", "terminate") || ended.includes(valueAt(live, "status", "phase"))),
  perform: setting(["spec", "terminate"], true),
};

const createWorkflow = {
  name: "create-workflow",
  displayName: "Create Workflow",
  iconClass: "fa fa-fw fa-plus",
} as const;

interface Parts {
  labels: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  finalizers?: readonly unknown[];
  spec: unknown;
}

function workflowOf(
  live: Manifest,
  nowMs: number,
  { labels, annotations, finalizers, spec }: Parts,
): readonly ImpactedObject[] {
  const { year, month, day, hour, minute } = timeParts(nowMs);
  const { name, namespace } = live.metadata;
  const object: Manifest = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Workflow",
    metadata: {
      name: `${name}-${year}${month}${day}${hour}${minute}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels },
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ...(finalizers && finalizers.length > 0 ? { finalizers: finalizers.map(String) } : {}),
      ownerReferences: [ownerOf(live)],
    },
    spec,
  };
  return [{ operation: "create", object }];
}

const ofTemplate: ObjectAction = {
  ...createWorkflow,
  perform: (live, { nowMs }) =>
    workflowOf(live, nowMs, {
      labels: { "workflows.argoproj.io/workflow-template": live.metadata.name ?? "" },
      spec: { workflowTemplateRef: { name: live.metadata.name } },
    }),
};

const instanceLabel = "workflows.argoproj.io/controller-instanceid";

const ofCronWorkflow: ObjectAction = {
  ...createWorkflow,
  perform(live, { nowMs }) {
    const given = valueAt(live, "spec", "workflowMetadata");
    const instance = live.metadata.labels?.[instanceLabel];
    const finalizers = valueAt(given, "finalizers");
    return workflowOf(live, nowMs, {
      labels: {
        ...stringsOf(valueAt(given, "labels")),
        "workflows.argoproj.io/cron-workflow": live.metadata.name ?? "",
        ...(instance === undefined ? {} : { [instanceLabel]: instance }),
      },
      annotations: {
        ...stringsOf(valueAt(given, "annotations")),
        "workflows.argoproj.io/scheduled-time": formatTime(nowMs),
      },
      ...(Array.isArray(finalizers) ? { finalizers } : {}),
      spec: valueAt(live, "spec", "workflowSpec"),
    });
  },
};

export const argoActions: Readonly<Record<string, readonly ObjectAction[]>> = {
  "argoproj.io/Rollout": rollout,
  "argoproj.io/AnalysisRun": [analysisRun],
  "argoproj.io/WorkflowTemplate": [ofTemplate],
  "argoproj.io/CronWorkflow": [ofCronWorkflow],
};
