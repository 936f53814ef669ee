import { sameJson, sortedKeys } from "../../schema/json.ts";
import { ApiError, type KubeObject } from "../../types.ts";
import { claimDependents } from "../claim-dependents.ts";
import type { Context } from "../controller.ts";
import {
  type ControllerRevision,
  isControllerRevision,
  type LabelSelector,
  type PodTemplate,
} from "../kinds.ts";
import { revisionHash } from "../names.ts";
import { controllerReference, isControlledBy } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";

export const revisionLabel = "controller-revision-hash";

const hashLabel = "controller.kubernetes.io/hash";

/** The two controllers label their revisions differently (daemon/update.go snapshot, history.NewControllerRevision). */
const labelOf = ({ kind }: KubeObject): string => (kind === "DaemonSet" ? revisionLabel : hashLabel);

/** A StatefulSet or DaemonSet: what has a history of Pod templates. */
export interface Revised extends KubeObject {
  spec: { selector: LabelSelector; template: PodTemplate; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

export interface History {
  /** By number, oldest first. */
  revisions: readonly ControllerRevision[];
  /** The one of the present template. */
  update: ControllerRevision;
}

/** Finds or makes the revision of the owner's template; undefined on a collision of names, with the new count. */
export async function syncHistory(
  context: Context,
  owner: Revised,
): Promise<History | { collisionCount: number }> {
  const { objects } = context;
  const type = resourceTypes.controllerRevisions;
  const { selector, template } = owner.spec;
  const claimed = await claimDependents(context, { owner, type, selector, isKind: isControllerRevision });
  const revisions = claimed.sort((a, b) => a.revision - b.revision);
  const latest = revisions.at(-1);
  const number = (latest?.revision ?? 0) + 1;
  const same = revisions.findLast((revision) => sameJson(templateOf(revision), template));
  if (same && same === latest) return { revisions, update: same };
  if (same) {
    const update = await objects.update<ControllerRevision>(type, { ...same, revision: number });
    return { revisions: [...revisions.filter((one) => one !== same), update], update };
  }
  const collisionCount = owner.status?.collisionCount ?? 0;
  const update = await create(context, owner, newRevision(owner, number, collisionCount));
  if (!update) return { collisionCount: collisionCount + 1 };
  return { revisions: [...revisions, update], update };
}

async function create(
  { objects }: Context,
  owner: Revised,
  revision: ControllerRevision,
): Promise<ControllerRevision | undefined> {
  const type = resourceTypes.controllerRevisions;
  try {
    return await objects.create<ControllerRevision>(type, revision);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    const { namespace = "", name = "" } = revision.metadata;
    const known = objects.get<ControllerRevision>(type, namespace, name);
    if (!known || !isControlledBy(known, owner)) return undefined;
    return objects.update<ControllerRevision>(type, {
      ...known,
      data: revision.data,
      revision: revision.revision,
    });
  }
}

/** The data is a strategic merge patch: `kubectl rollout undo` applies it to the owner. */
function newRevision(owner: Revised, revision: number, collisionCount: number): ControllerRevision {
  const { name = "", namespace = "" } = owner.metadata;
  const { template } = owner.spec;
  const hash = revisionHash(template, collisionCount);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [labelOf(owner)]: hash },
      ...(owner.metadata.annotations && { annotations: owner.metadata.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    // Clients compare the text with their own (daemon/update.go Match).
    data: sortedKeys({ spec: { template: { ...template, $patch: "replace" } } }),
    revision,
  };
}

export function templateOf(revision: ControllerRevision): PodTemplate | undefined {
  const { data } = revision;
  if (!hasTemplate(data)) return undefined;
  const { $patch: _patch, ...template } = data.spec.template;
  return template;
}

function hasTemplate(data: unknown): data is { spec: { template: PodTemplate & { $patch?: string } } } {
  if (typeof data !== "object" || data === null || !("spec" in data)) return false;
  const { spec } = data;
  return typeof spec === "object" && spec !== null && "template" in spec;
}

export function hashOf(revision: ControllerRevision): string {
  const { labels } = revision.metadata;
  return labels?.[hashLabel] ?? labels?.[revisionLabel] ?? "";
}

/** Removes what is neither in use nor among the last spec.revisionHistoryLimit. */
export async function truncateHistory(
  { objects }: Context,
  owner: Revised,
  {
    revisions,
    inUse,
  }: { revisions: readonly ControllerRevision[]; inUse: (revision: ControllerRevision) => boolean },
): Promise<void> {
  const past = revisions.filter((revision) => !inUse(revision));
  const surplus = past.slice(0, Math.max(past.length - (owner.spec.revisionHistoryLimit ?? 10), 0));
  for (const { metadata } of surplus) {
    const { namespace = "", name = "", uid = "" } = metadata;
    await objects.delete(resourceTypes.controllerRevisions, namespace, name, { uid });
  }
}
