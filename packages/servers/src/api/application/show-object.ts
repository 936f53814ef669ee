import { maskAllTexts, maskPaths, maskSecrets, maskTexts, textsAt, type ValuePath } from "@capstan/engine";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  groupOf,
  isCapstanError,
  keyOf,
  keyText,
  type Manifest,
  type ResourceKey,
} from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import type { FoundResource } from "./find-resource.ts";
import { comparedRevisionsOf } from "./managed-resources.ts";
import { type RenderNeeds, renderSources } from "./render-sources.ts";

type Shown = Pick<FoundResource, "app" | "cluster" | "key" | "object">;

const mostOwners = 8;

/**
 * A live object as a person may see it: without values of Secrets, and without what a sensitive stage has put into
 * the manifests that it, or its owner, was made from.
 */
export async function showObject(context: RenderNeeds, found: Shown, signal: AbortSignal): Promise<Manifest> {
  const { app, object } = found;
  const rendered = await renderedWithSecrets(context, app, signal);
  const shown = rendered === undefined ? maskAllTexts(object) : withoutSecrets(found, rendered);
  return maskSecrets(shown)[0] ?? shown;
}

/** Undefined where it cannot be told what is secret. */
async function renderedWithSecrets(
  context: RenderNeeds,
  app: Application,
  signal: AbortSignal,
): Promise<RenderedManifest[] | undefined> {
  if (!mayBeSensitive(app)) return [];
  try {
    const answers = await renderSources(context, app, { revisions: comparedRevisionsOf(app), signal });
    return answers.flatMap(({ manifests }) => manifests).filter(({ secretPaths }) => secretPaths?.length);
  } catch (error) {
    signal.throwIfAborted();
    if (!isCapstanError(error)) throw error;
    return undefined;
  }
}

/** Helm, Kustomize and Directory have no sensitive stage; of what was never compared, nothing is known. */
function mayBeSensitive({ status }: Application): boolean {
  const types = status?.sourceTypes ?? (status?.sourceType ? [status.sourceType] : []);
  return types.length === 0 || types.includes("Plugin");
}

function withoutSecrets(
  { app, cluster, key, object }: Shown,
  rendered: readonly RenderedManifest[],
): Manifest {
  const namespace = app.spec.destination.namespace ?? "";
  const find = (wanted: ResourceKey) =>
    rendered.find(({ manifest }) => {
      const named = keyOf(manifest);
      const placed = { ...named, namespace: named.namespace || (wanted.namespace && namespace) };
      return keyText(placed) === keyText(wanted);
    });
  const own = find(key);
  const inherited = ownersOf(cluster, object).flatMap((owner) => find(owner)?.secretPaths ?? []);
  const [, masked = object] = maskPaths(own?.secretPaths, own?.manifest, object);
  const [shown = masked] = maskPaths(inherited.flatMap(placesOfCopies), masked);
  return maskTexts(
    rendered.flatMap(({ manifest, secretPaths }) => textsAt(secretPaths, manifest)),
    shown,
  );
}

/** Up to the one that nobody owns. */
function ownersOf({ live }: Cluster, object: Manifest): ResourceKey[] {
  const found: ResourceKey[] = [];
  let next: Manifest | undefined = object;
  while (next && found.length < mostOwners) {
    const { ownerReferences = [], namespace = "" }: Manifest["metadata"] = next.metadata;
    const [owner] = ownerReferences;
    if (!owner) break;
    const key = { group: groupOf(owner.apiVersion), kind: owner.kind, namespace, name: owner.name };
    found.push(key);
    next = live.get(key);
  }
  return found;
}

/**
 * Where an object's path stands in what is made of it: a Pod of a template, a Job of a CronJob, a StatefulSet's
 * revision. An earlier one holds an earlier secret, which its text alone would not tell.
 */
function placesOfCopies(path: ValuePath): ValuePath[] {
  const [first, second, ...rest] = path;
  const isTemplate = first === "spec" && (second === "template" || second === "jobTemplate");
  return [path, ["data", ...path], ...(isTemplate ? placesOfCopies(rest) : [])];
}
