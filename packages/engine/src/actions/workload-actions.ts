import { formatTime, isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import {
  type ObjectAction,
  onlyIf,
  ownerOf,
  patched,
  readReplicas,
  setting,
  timeParts,
  unless,
  valueAt,
  withValue,
} from "./action.ts";

/** What kubectl rollout restart does. */
const restart: ObjectAction = {
  name: "restart",
  iconClass: "fa fa-fw fa-redo",
  perform: (live, { nowMs }) =>
    patched(
      withValue(
        live,
        ["spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"],
        formatTime(nowMs),
      ),
    ),
};

const isPaused = (live: Manifest): boolean => valueAt(live, "spec", "paused") === true;

const pause: ObjectAction = {
  name: "pause",
  iconClass: "fa fa-fw fa-pause-circle",
  stateOf: (live) => unless(isPaused(live)),
  perform: setting(["spec", "paused"], true),
};

const resume: ObjectAction = {
  name: "resume",
  iconClass: "fa fa-fw fa-play-circle",
  stateOf: (live) => unless(!isPaused(live)),
  perform: setting(["spec", "paused"], undefined),
};

const scale: ObjectAction = {
  name: "scale",
  iconClass: "fa fa-fw fa-plus-circle",
  params: ["replicas"],
  perform: (live, { parameters }) => patched(withValue(live, ["spec", "replicas"], readReplicas(parameters))),
};

const isSuspended = (live: Manifest): boolean => valueAt(live, "spec", "suspend") === true;

/** Offered one at a time; `may`: beside that. */
function suspending(may: (live: Manifest) => boolean): readonly ObjectAction[] {
  return [
    {
      name: "suspend",
      iconClass: "fa fa-fw fa-pause",
      stateOf: (live) => onlyIf(may(live) && !isSuspended(live)),
      perform: setting(["spec", "suspend"], true),
    },
    {
      name: "resume",
      iconClass: "fa fa-fw fa-play",
      stateOf: (live) => onlyIf(may(live) && isSuspended(live)),
      perform: (live) => patched(isSuspended(live) ? withValue(live, ["spec", "suspend"], false) : live),
    },
  ];
}

const endings: readonly unknown[] = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"];

function isOver(live: Manifest): boolean {
  const conditions = valueAt(live, "status", "conditions");
  const found = Array.isArray(conditions) ? conditions.filter(isRecord) : [];
  return found.some(({ type, status }) => endings.includes(type) && status === "True");
}

const terminate: ObjectAction = {
  name: "terminate",
  iconClass: "fa fa-fw fa-stop",
  stateOf: (live) => onlyIf(!isOver(live) && live.status !== undefined),
  perform(live, { nowMs }) {
    if (isOver(live) || live.status === undefined) return patched(live);
    const conditions = valueAt(live, "status", "conditions");
    const condition = {
      lastTransitionTime: formatTime(nowMs),
      message: "Job was terminated explicitly through Argo CD",
      reason: "ManuallyTerminated",
      status: "True",
      type: "FailureTarget",
    };
    const all = [...(Array.isArray(conditions) ? conditions : []), condition];
    return patched(withValue(live, ["status", "conditions"], all));
  },
};

/** What kubectl create job --from does (resource_customizations/batch/CronJob/actions/create-job). */
const createJob: ObjectAction = {
  name: "create-job",
  displayName: "Create Job",
  iconClass: "fa fa-fw fa-plus",
  perform(live, { nowMs }) {
    const { year, month, day, hour, minute } = timeParts(nowMs);
    const template = valueAt(live, "spec", "jobTemplate");
    const given = valueAt(template, "metadata");
    const annotations = valueAt(given, "annotations");
    const { namespace } = live.metadata;
    const object: Manifest = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        ...(isRecord(given) ? given : {}),
        name: `${live.metadata.name}-${year.slice(2)}${month}${day}${hour}${minute}`,
        ...(namespace === undefined ? {} : { namespace }),
        annotations: { ...stringsOf(annotations), "cronjob.kubernetes.io/instantiate": "manual" },
        ownerReferences: [{ ...ownerOf(live), blockOwnerDeletion: true, controller: true }],
      },
      spec: valueAt(template, "spec"),
    };
    return [{ operation: "create", object }];
  },
};

export function stringsOf(value: unknown): Record<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

export const workloadActions: Readonly<Record<string, readonly ObjectAction[]>> = {
  "apps/Deployment": [restart, pause, resume, scale],
  "apps/StatefulSet": [restart, scale],
  "apps/DaemonSet": [restart],
  "batch/CronJob": [createJob, ...suspending(() => true)],
  "batch/Job": [...suspending((live) => !isOver(live)), terminate],
};
