import { type ComparedResource, type DiffRules, maskPaths, maskSecrets, normalize } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  hasMultipleSources,
  keyOf,
  type Manifest,
  type ResourceDiff,
  stringifyJson,
} from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { type ComparedApplication, type CompareNeeds, compareApplication } from "./compare-application.ts";
import { dryRunDiff } from "./dry-run-diff.ts";
import { findApplication } from "./find-application.ts";

type Needs = CompareNeeds & Pick<ApiContext, "rights">;

/** Every object that should be there or is, at the revision of the last comparison; Secrets masked. */
export function listManagedResources(context: Needs): HandlerOf<"listManagedResources"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const compared = await compareApplication(context, app, { revisions: comparedRevisionsOf(app), signal });
    const { cluster, comparison, hooks, rules, secretsOf } = compared;
    const isWanted = ({ key }: Pick<ComparedResource, "key">): boolean =>
      (!request.kind || key.kind === request.kind) &&
      (request.group === undefined || key.group === request.group) &&
      (!request.namespace || key.namespace === request.namespace) &&
      (!request.resourceName || key.name === request.resourceName);
    const items = comparison.resources
      .filter(isWanted)
      .map((resource) => describeResource(cluster, resource, { rules, secretsOf, signal }));
    const hookItems = hooks
      .map((hook) => hookDiff(cluster, hook, secretsOf))
      .filter((item) => isWanted({ key: keyOfDiff(item) }));
    return { items: [...(await Promise.all(items)), ...hookItems] };
  };
}

function keyOfDiff({ group = "", kind, namespace = "", name }: ResourceDiff) {
  return { group, kind, namespace, name };
}

/** What the status says that git and cluster were compared at, so that the render is a hit. */
export function comparedRevisionsOf({ spec, status }: Application): readonly (string | undefined)[] {
  const sync = status?.sync;
  return hasMultipleSources(spec) ? (sync?.revisions ?? []) : [sync?.revision || undefined];
}

interface Facts extends Pick<ComparedApplication, "secretsOf"> {
  rules: DiffRules;
  signal: AbortSignal;
}

/** Absent sides are the JSON text `null`, as in Argo CD. */
async function describeResource(
  cluster: Cluster,
  { key, target, live, isOutOfSync }: ComparedResource,
  { rules, secretsOf, signal }: Facts,
): Promise<ResourceDiff> {
  const normal = live && normalizedLive(live, rules);
  const predicted =
    target && live && isOutOfSync
      ? ((await dryRunDiff(cluster, { target, live, rules, signal })).predicted ?? target)
      : target && (normal ?? target);
  const shown = predicted && predicted !== normal ? normalizedLive(predicted, rules) : predicted;
  const masked = maskSecrets(...maskPaths(secretsOf(key), target, live, normal, shown));
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

function hookDiff({ live }: Cluster, hook: Manifest, secretsOf: Facts["secretsOf"]): ResourceDiff {
  const key = keyOf(hook);
  const [targetState = "null", liveState = "null"] = maskSecrets(
    ...maskPaths(secretsOf(key), hook, live.get(key)),
  ).map(textOf);
  return { ...key, targetState, liveState, hook: true, modified: false };
}

/** The given manifests, or those of the application, compared by a dry run on the server. */
export function diffOnServer(context: Needs): HandlerOf<"diffOnServer"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const given = request.targetManifests?.length ? request.targetManifests : undefined;
    const { cluster, comparison, rules, secretsOf } = await compareApplication(context, app, {
      signal,
      ...(given ? { manifests: given } : { revisions: comparedRevisionsOf(app) }),
    });
    const items: ResourceDiff[] = [];
    for (const resource of comparison.resources) {
      if (!resource.target && given) continue;
      items.push(await describeResource(cluster, resource, { rules, secretsOf, signal }));
    }
    return { items, modified: items.some(({ modified }) => modified) };
  };
}
