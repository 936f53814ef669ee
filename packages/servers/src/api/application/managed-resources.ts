import { type ComparedResource, type DiffRules, maskSecrets, normalize } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import { keyOf, type Manifest, type ResourceDiff, stringifyJson } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { type ComparedApplication, type CompareNeeds, compareApplication } from "./compare-application.ts";
import { dryRunDiff } from "./dry-run-diff.ts";
import { findApplication } from "./find-application.ts";
import { comparedRevisionsOf } from "./render-sources.ts";

type Needs = CompareNeeds & Pick<ApiContext, "rights">;

/** Every object that should be there or is, at the revision of the last comparison; Secrets masked. */
export function listManagedResources(context: Needs): HandlerOf<"listManagedResources"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const compared = await compareApplication(context, app, { revisions: comparedRevisionsOf(app), signal });
    const { cluster, comparison, hooks, rules, secrets } = compared;
    const isWanted = ({ key }: Pick<ComparedResource, "key">): boolean =>
      (!request.kind || key.kind === request.kind) &&
      (request.group === undefined || key.group === request.group) &&
      (!request.namespace || key.namespace === request.namespace) &&
      (!request.resourceName || key.name === request.resourceName);
    const items = comparison.resources
      .filter(isWanted)
      .map((resource) => describeResource(cluster, resource, { rules, secrets, signal }));
    const hookItems = hooks
      .map((hook) => hookDiff(cluster, hook, secrets))
      .filter((item) => isWanted({ key: keyOfDiff(item) }));
    return { items: [...(await Promise.all(items)), ...hookItems] };
  };
}

function keyOfDiff({ group = "", kind, namespace = "", name }: ResourceDiff) {
  return { group, kind, namespace, name };
}

interface Facts extends Pick<ComparedApplication, "secrets"> {
  rules: DiffRules;
  signal: AbortSignal;
}

/** Absent sides are the JSON text `null`, as in Argo CD. */
async function describeResource(
  cluster: TenantCluster,
  { key, target, live, isOutOfSync }: ComparedResource,
  { rules, secrets, signal }: Facts,
): Promise<ResourceDiff> {
  const normal = live && normalizedLive(live, rules);
  const predicted =
    target && live && isOutOfSync
      ? ((await dryRunDiff(cluster, { target, live, rules, signal })).predicted ?? target)
      : target && (normal ?? target);
  const shown = predicted && predicted !== normal ? normalizedLive(predicted, rules) : predicted;
  const masked = maskSecrets(...secrets.hide([target, live, normal, shown], cluster.live));
  const [targetState, liveState, normalizedLiveState, predictedLiveState] = masked.map(textOf);
  return {
    group: key.group,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    targetState: targetState ?? "null",
    liveState: liveState ?? "null",
    normalizedLiveState: normalizedLiveState ?? "null",
    predictedLiveState: predictedLiveState ?? "null",
    resourceVersion: live?.metadata.resourceVersion ?? "",
    modified: isOutOfSync,
  };
}

/** Names stay: a reader wants to know which object this is. */
function normalizedLive(object: Manifest, rules: DiffRules): Manifest {
  const { name, namespace } = object.metadata;
  const normal = normalize(object, rules);
  const named = { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) };
  return { ...normal, metadata: { ...named, ...normal.metadata } };
}

function textOf(object: Manifest | undefined): string {
  return object === undefined ? "null" : stringifyJson(object);
}

function hookDiff({ live }: TenantCluster, hook: Manifest, secrets: Facts["secrets"]): ResourceDiff {
  const key = keyOf(hook);
  const [targetState = "null", liveState = "null"] = maskSecrets(
    ...secrets.hide([hook, live.get(key)], live),
  ).map(textOf);
  return { ...key, targetState, liveState, hook: true, modified: false };
}

/** The given manifests, or those of the application, compared by a dry run on the server. */
export function diffOnServer(context: Needs): HandlerOf<"diffOnServer"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const given = request.targetManifests?.length ? request.targetManifests : undefined;
    const { cluster, comparison, rules, secrets } = await compareApplication(context, app, {
      signal,
      ...(given ? { manifests: given } : { revisions: comparedRevisionsOf(app) }),
    });
    const items: ResourceDiff[] = [];
    for (const resource of comparison.resources) {
      if (!resource.target && given) continue;
      items.push(await describeResource(cluster, resource, { rules, secrets, signal }));
    }
    return { items, modified: items.some(({ modified }) => modified) };
  };
}
