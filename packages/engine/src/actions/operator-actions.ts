import { formatTime, isRecord } from "@capstan/formats";
import { CapstanError, type Manifest } from "@capstan/model";
import {
  type ActionInput,
  type ImpactedObject,
  type ObjectAction,
  onlyIf,
  patched,
  setting,
  unless,
  valueAt,
  withValue,
} from "./action.ts";

const annotationOf = (live: Manifest, name: string): string | undefined => live.metadata.annotations?.[name];
const annotation = (name: string) => ["metadata", "annotations", name];

/** Sets an annotation to the time. */
function stamping(name: string, textOf: (time: string) => string = (time) => time): ObjectAction["perform"] {
  return (live, { nowMs }) => patched(withValue(live, annotation(name), textOf(formatTime(nowMs))));
}

const isSuspended = (live: Manifest): boolean => valueAt(live, "spec", "suspend") === true;

const suspend: ObjectAction = {
  name: "suspend",
  stateOf: (live) => unless(isSuspended(live)),
  perform: setting(["spec", "suspend"], true),
};

const resume: ObjectAction = {
  name: "resume",
  stateOf: (live) => unless(!isSuspended(live)),
  perform: (live) => patched(isSuspended(live) ? withValue(live, ["spec", "suspend"], false) : live),
};

/** What flux reconcile does. */
const reconcile: ObjectAction = {
  name: "reconcile",
  stateOf: (live) => unless(isSuspended(live)),
  perform: stamping("reconcile.fluxcd.io/requestedAt", (time) => `By Argo CD at: ${time.replace("Z", "")}`),
};

const flux = [reconcile, suspend, resume];
const pauseIcon = "fa fa-fw fa-pause-circle";
const playIcon = "fa fa-fw fa-play-circle";
const kedaPaused = "autoscaling.keda.sh/paused";
const kedaReplicas = "autoscaling.keda.sh/paused-replicas";

const isKedaPaused = (live: Manifest): boolean => annotationOf(live, kedaPaused) === "true";
const isKedaHeld = (live: Manifest): boolean =>
  isKedaPaused(live) || annotationOf(live, kedaReplicas) !== undefined;

const kedaPause: ObjectAction = {
  name: "pause",
  iconClass: pauseIcon,
  stateOf: (live) => unless(isKedaHeld(live)),
  perform: setting(annotation(kedaPaused), "true"),
};

const kedaResume: ObjectAction = {
  name: "resume",
  iconClass: playIcon,
  stateOf: (live) => unless(!isKedaHeld(live)),
  perform: (live) =>
    patched(
      withValue(withValue(live, annotation(kedaPaused), undefined), annotation(kedaReplicas), undefined),
    ),
};

const kedaHold: ObjectAction = {
  name: "paused-replicas",
  iconClass: pauseIcon,
  params: ["replicas"],
  stateOf: (live) => unless(isKedaPaused(live)),
  perform(live, { parameters }) {
    const text = parameters.replicas ?? "";
    const problem = text === "" ? "replicas parameter is required" : `invalid number: ${text} (must be >= 0)`;
    if (!/^\d{1,6}$/.test(text))
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "replicas", problem });
    return patched(withValue(live, annotation(kedaReplicas), String(Number(text))));
  },
};

const zeroInterval = /^0(?:ns|us|µs|ms|s|m|h)?$/;

/** External Secrets' operator looks again when this annotation changes. */
function refreshing(name: string, isAlways: (live: Manifest) => boolean): ObjectAction {
  return {
    name,
    stateOf: (live) =>
      unless(zeroInterval.test(String(valueAt(live, "spec", "refreshInterval") ?? "")) && !isAlways(live)),
    perform: stamping("force-sync"),
  };
}

const loop = "cnpg.io/reconciliationLoop";
const isLoopOff = (live: Manifest): boolean => annotationOf(live, loop) === "disabled";

function healthyInstances(live: Manifest): string[] {
  const healthy = valueAt(live, "status", "instancesStatus", "healthy");
  return Array.isArray(healthy) ? healthy.filter((one) => typeof one === "string") : [];
}

/** "any": the next after the present primary; a number: the instance with it; else a name. */
function instanceFor(live: Manifest, wanted: string): string | undefined {
  const healthy = healthyInstances(live);
  if (wanted !== "any") {
    const name = /^\d+$/.test(wanted) ? `${live.metadata.name}-${wanted}` : wanted;
    return healthy.find((one) => one === name);
  }
  const at = healthy.indexOf(String(valueAt(live, "status", "currentPrimary")));
  return healthy[(at + 1) % Math.max(healthy.length, 1)];
}

function promote(live: Manifest, { nowMs, parameters }: ActionInput): readonly ImpactedObject[] {
  const wanted = parameters.instance ?? "any";
  const instance = instanceFor(live, wanted);
  if (instance === undefined)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "instance",
      problem: `Could not find a healthy instance matching the criteria: ${wanted}`,
    });
  const status = {
    ...(isRecord(live.status) ? live.status : {}),
    targetPrimary: instance,
    targetPrimaryTimestamp: formatTime(nowMs),
    phase: "Switchover in progress",
    phaseReason: `Switching over to ${instance}`,
  };
  return patched({ ...live, status });
}

const cloudNativePg: readonly ObjectAction[] = [
  {
    name: "restart",
    displayName: "Rollout restart Cluster",
    iconClass: "fa fa-fw fa-recycle",
    perform: stamping("kubectl.kubernetes.io/restartedAt"),
  },
  {
    name: "reload",
    displayName: "Reload all Configuration",
    iconClass: "fa fa-fw fa-rotate-right",
    perform: stamping("cnpg.io/reloadedAt"),
  },
  {
    name: "promote",
    displayName: "Promote Replica to Primary",
    iconClass: "fa fa-fw fa-angles-up",
    params: ["instance"],
    stateOf: (live) => unless(healthyInstances(live).length < 2),
    perform: promote,
  },
  {
    name: "suspend",
    displayName: "Suspend Reconciliation",
    iconClass: "fa fa-fw fa-pause",
    stateOf: (live) => onlyIf(!isLoopOff(live)),
    perform: setting(annotation(loop), "disabled"),
  },
  {
    name: "resume",
    displayName: "Resume Reconciliation",
    iconClass: "fa fa-fw fa-play",
    stateOf: (live) => onlyIf(isLoopOff(live)),
    perform: setting(annotation(loop), undefined),
  },
];

const mariaDb: readonly ObjectAction[] = [
  {
    ...suspend,
    displayName: "Suspend",
    iconClass: "fa fa-fw fa-pause",
    stateOf: (live) => onlyIf(!isSuspended(live)),
  },
  {
    ...resume,
    displayName: "Resume",
    iconClass: "fa fa-fw fa-play",
    stateOf: (live) => onlyIf(isSuspended(live)),
  },
];

const rolling = "strimzi.io/manual-rolling-update";
const isMongoPaused = (live: Manifest): boolean => valueAt(live, "spec", "pause") === true;

/** resource_customizations of Argo CD 3.6, by group and kind. */
export const operatorActions: Readonly<Record<string, readonly ObjectAction[]>> = {
  "helm.toolkit.fluxcd.io/HelmRelease": flux,
  "kustomize.toolkit.fluxcd.io/Kustomization": flux,
  "image.toolkit.fluxcd.io/ImageRepository": flux,
  "image.toolkit.fluxcd.io/ImageUpdateAutomation": flux,
  "notification.toolkit.fluxcd.io/Receiver": flux,
  "notification.toolkit.fluxcd.io/Alert": [suspend, resume],
  "notification.toolkit.fluxcd.io/Provider": [suspend, resume],
  "source.toolkit.fluxcd.io/Bucket": flux,
  "source.toolkit.fluxcd.io/GitRepository": flux,
  "source.toolkit.fluxcd.io/HelmChart": flux,
  "source.toolkit.fluxcd.io/HelmRepository": flux,
  "source.toolkit.fluxcd.io/OCIRepository": flux,
  "keda.sh/ScaledJob": [kedaPause, kedaResume],
  "keda.sh/ScaledObject": [kedaPause, kedaHold, kedaResume],
  "external-secrets.io/ExternalSecret": [
    refreshing("refresh", (live) => valueAt(live, "spec", "refreshPolicy") === "OnChange"),
  ],
  "external-secrets.io/PushSecret": [refreshing("push", () => false)],
  "postgresql.cnpg.io/Cluster": cloudNativePg,
  "k8s.mariadb.com/MariaDB": mariaDb,
  "core.strimzi.io/StrimziPodSet": [
    {
      name: "rolling-update",
      stateOf: (live) => unless(annotationOf(live, rolling) === "true"),
      perform: setting(annotation(rolling), "true"),
    },
  ],
  "psmdb.percona.com/PerconaServerMongoDB": [
    {
      name: "pause",
      iconClass: pauseIcon,
      stateOf: (live) => unless(isMongoPaused(live)),
      perform: setting(["spec", "pause"], true),
    },
    {
      name: "unpause",
      iconClass: playIcon,
      stateOf: (live) => unless(!isMongoPaused(live)),
      perform: setting(["spec", "pause"], false),
    },
  ],
  "promoter.argoproj.io/PullRequest": [
    {
      name: "merge",
      displayName: "Merge PR",
      iconClass: "fa fa-fw fa-code-merge",
      stateOf: (live) => unless(valueAt(live, "spec", "state") !== "open"),
      perform: setting(["spec", "state"], "merged"),
    },
  ],
};
