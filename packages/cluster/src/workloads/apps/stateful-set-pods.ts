import { ApiError } from "../../types.ts";
import type { Context } from "../controller.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, PodTemplate, StatefulSet } from "../kinds.ts";
import { newPod, textOf } from "../pod-control.ts";
import { resourceTypes } from "../resource-types.ts";
import { revisionLabel, templateOf } from "./controller-revisions.ts";

const component = "statefulset-controller";

export function startOrdinal(set: StatefulSet): number {
  return set.spec.ordinals?.start ?? 0;
}

/** The number at the end of a Pod's name; undefined when the name is not one of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = "" } = pod.metadata;
  const number = name.slice(prefix.length);
  return name.startsWith(prefix) && /^(0|[1-9]\d*)$/.test(number) ? Number(number) : undefined;
}

export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const template = templateOf(revision) ?? set.spec.template;
  const labelled: PodTemplate = {
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        "apps.kubernetes.io/pod-index": String(ordinal),
        [revisionLabel]: revision.metadata.name ?? "",
        "statefulset.kubernetes.io/pod-name": name,
      },
    },
    spec: template.spec,
  };
  const pod = newPod(labelled, set, { name });
  const { serviceName } = set.spec;
  return {
    ...pod,
    metadata: { ...pod.metadata, generateName: `${set.metadata.name}-` },
    spec: {
      ...pod.spec,
      volumes: volumesOf(set, name, pod.spec.volumes ?? []),
      hostname: name,
      ...(serviceName !== undefined && serviceName !== "" && { subdomain: serviceName }),
    },
  };
}

function volumesOf(set: StatefulSet, podName: string, volumes: NonNullable<Pod["spec"]["volumes"]>) {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map(({ metadata: { name = "" } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${podName}` },
  }));
  return [...claimed, ...volumes.filter(({ name }) => !claimed.some((claim) => claim.name === name))];
}

/** Creates the Pod and before it the claims that it names and that are not there. */
export async function createStatefulPod(context: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const { objects } = context;
  try {
    for (const claim of claimsOf(set, pod)) {
      const { namespace = "", name = "" } = claim.metadata;
      if (objects.get(resourceTypes.persistentVolumeClaims, namespace, name)) continue;
      await objects.create(resourceTypes.persistentVolumeClaims, claim);
      say(
        context,
        set,
        `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} success`,
      );
    }
    await objects.create(resourceTypes.pods, pod);
  } catch (error) {
    if (error instanceof ApiError && (error.reason === "AlreadyExists" || error.code === 404)) throw error;
    const message = `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${textOf(error)}`;
    context.events.record(set, { type: "Warning", reason: "FailedCreate", message, component });
    throw error;
  }
  say(context, set, `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`);
}

function say({ events }: Context, set: StatefulSet, message: string): void {
  events.record(set, { type: "Normal", reason: "SuccessfulCreate", message, component });
}

function claimsOf(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
  const { name: setName = "", uid = "", namespace = "" } = set.metadata;
  const goesWithSet = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...(template.metadata.annotations && { annotations: template.metadata.annotations }),
      name: `${template.metadata.name}-${pod.metadata.name}`,
      namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(goesWithSet && {
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "StatefulSet", name: setName, uid, controller: true },
        ],
      }),
    },
    spec: template.spec,
  }));
}

/** Deletes a Pod of the set; one too many takes its claims with it where spec.persistentVolumeClaimRetentionPolicy says so. */
export async function deleteStatefulPod(
  context: Context,
  set: StatefulSet,
  { pod, isSurplus }: { pod: Pod; isSurplus: boolean },
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  if (isSurplus && set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete") {
    await giveClaimsTo(context, set, pod);
  }
  await context.objects.delete(resourceTypes.pods, namespace, name, { uid });
  const message = `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`;
  context.events.record(set, { type: "Normal", reason: "SuccessfulDelete", message, component });
}

async function giveClaimsTo({ objects }: Context, set: StatefulSet, pod: Pod): Promise<void> {
  const { name: podName = "", uid = "", namespace = "" } = pod.metadata;
  const type = resourceTypes.persistentVolumeClaims;
  for (const { metadata } of claimsOf(set, pod)) {
    const claim = objects.get<PersistentVolumeClaim>(type, namespace, metadata.name ?? "");
    if (!claim || claim.metadata.ownerReferences?.some((owner) => owner.uid === uid)) continue;
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: podName, uid }];
    await objects.update(type, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
  }
}
