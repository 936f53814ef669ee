import {
  type ComparedResource,
  comparedByServer,
  type DiffRules,
  normalize,
  withOwnChanges,
} from "@capstan/engine";
import { stringifyJson } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import { keyOf, keyText, type Manifest, type ResourceDiff } from "@capstan/model";
import { applyModes, type JqDeletions, predictApply } from "@capstan/planning";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import {
  asLastCompared,
  type ComparedApplication,
  type CompareNeeds,
  compareApplication,
} from "./compare-application.ts";
import { findApplication } from "./find-application.ts";
import { type Prediction, predictOrTell } from "./predict-or-tell.ts";

type Needs = CompareNeeds & Pick<ApiContext, "rights">;

/** Every object that should be there or is, at the revision of the last comparison; Secrets masked. */
export function listManagedResources(context: Needs): HandlerOf<"listManagedResources"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const compared = await compareApplication(context, app, { ...asLastCompared(context, app), signal });
    const { cluster, comparison, secrets } = compared;
    const modeOf = applyModes(app);
    const needs = { client: cluster.client, clock: context.clock };
    const predict: Predict = (target, live) =>
      predictOrTell(needs, { target, live, mode: modeOf(target, live) }, signal);
    const isNamed = ({ key }: Pick<ComparedResource, "key">): boolean =>
      (!request.kind || key.kind === request.kind) &&
      (request.group === undefined || key.group === request.group) &&
      (!request.namespace || key.namespace === request.namespace) &&
      (!request.resourceName || key.name === request.resourceName);
    const asked = { jq: context.scripts.jq, predict, signal };
    const hooks = new Set(comparison.hooks.map((hook) => keyText(keyOf(hook))));
    const isToldAsHook = ({ key, status }: ComparedResource): boolean =>
      status.hook === true && hooks.has(keyText(key));
    const items = comparison.resources
      .filter((resource) => isNamed(resource) && !isToldAsHook(resource))
      .filter((resource) => !request.differing || differs(resource))
      .map((resource) => describeResource(compared, resource, asked));
    // Hooks are compared with nothing.
    const hookItems = (request.differing ? [] : comparison.hooks)
      .map((hook) => hookDiff(cluster, hook, secrets))
      .filter((item) => isNamed({ key: keyOfDiff(item) }));
    return { items: [...(await Promise.all(items)), ...hookItems] };
  };
}

/** Also what a sync leaves alone by its own mark: that git does not have it is something to see. */
function differs({ status, isOutOfSync }: ComparedResource): boolean {
  return isOutOfSync || status.status === "OutOfSync";
}

function keyOfDiff({ group = "", kind, namespace = "", name }: ResourceDiff) {
  return { group, kind, namespace, name };
}

type Predict = (target: Manifest, live: Manifest) => Promise<Prediction>;

interface Describing {
  jq: JqDeletions;
  predict: Predict;
  signal: AbortSignal;
}

/**
 * Absent sides are the JSON text `null`, as in Argo CD. A text is made when it is read: who asks for some fields does
 * not wait for the others.
 */
async function describeResource(
  { cluster, comparison: { ruleUse, by }, secrets }: ComparedApplication,
  { key, target, live, isOutOfSync, status, refusal }: ComparedResource,
  { jq, predict, signal }: Describing,
): Promise<ResourceDiff> {
  const normalized = (object: Manifest): Promise<Manifest> =>
    jq.settled(ruleUse, (rules) => normalizedLive(object, rules), signal);
  const normal = live && (await normalized(live));
  const known: Prediction | undefined = refusal === undefined ? undefined : { refusal };
  const prediction = known ?? (target && live && isOutOfSync ? await predict(target, live) : undefined);
  const applied = prediction?.object;
  const changed = by === "server" && applied && live ? withOwnChanges(live, applied, ruleUse.rules) : applied;
  const predicted = prediction ? (changed ?? target) : target && (normal ?? target);
  const shown = predicted && predicted !== normal ? await normalized(predicted) : predicted;
  const masked = secrets.hide([target, live, normal, shown], cluster.live);
  const text = (version: number): string => textOf(masked[version]);
  return {
    group: key.group,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    get targetState() {
      return text(0);
    },
    get liveState() {
      return text(1);
    },
    get normalizedLiveState() {
      return text(2);
    },
    get predictedLiveState() {
      return text(3);
    },
    resourceVersion: live?.metadata.resourceVersion ?? "",
    modified: isOutOfSync,
    ...(status.hook && { hook: true }),
    ...(prediction?.refusal !== undefined && { unpredicted: prediction.refusal }),
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

function hookDiff(
  { live }: TenantCluster,
  hook: Manifest,
  secrets: ComparedApplication["secrets"],
): ResourceDiff {
  const key = keyOf(hook);
  const [targetState = "null", liveState = "null"] = secrets.hide([hook, live.get(key)], live).map(textOf);
  // Nothing is compared, but argocd app diff reads every side as JSON before it leaves hooks out.
  const sides = { targetState, liveState, normalizedLiveState: liveState, predictedLiveState: targetState };
  return { ...key, ...sides, hook: true, modified: false };
}

/** The given manifests, or those of the application, compared by a dry run on the server. */
export function diffOnServer(context: Needs): HandlerOf<"diffOnServer"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const given = request.targetManifests?.length ? request.targetManifests : undefined;
    const compared = await compareApplication(context, app, {
      signal,
      by: comparedByServer(app),
      ...(given ? { manifests: given } : asLastCompared(context, app)),
    });
    const modeOf = applyModes(app);
    const needs = { client: compared.cluster.client, clock: context.clock };
    const predict: Predict = async (target, live) => {
      // Argo CD's clients look for no reason; what is not known is git's text.
      const { object } = await predictApply(needs, { target, live, mode: modeOf(target, live) }, signal);
      return { object };
    };
    const items: ResourceDiff[] = [];
    for (const resource of compared.comparison.resources) {
      if (!resource.target && given) continue;
      items.push(await describeResource(compared, resource, { jq: context.scripts.jq, predict, signal }));
    }
    return { items, modified: items.some(({ modified }) => modified) };
  };
}
