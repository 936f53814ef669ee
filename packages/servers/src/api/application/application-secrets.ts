import { maskAllTexts, maskPaths, maskSecrets, maskTexts, textsAt, type ValuePath } from "@capstan/engine";
import { canonicalJson } from "@capstan/formats";
import { RecentSet, type TenantLive } from "@capstan/kube";
import {
  type Application,
  comparedRevisions,
  groupOf,
  isCapstanError,
  keyOf,
  keyText,
  type Manifest,
  type ResourceKey,
  sourcesOf,
} from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import { type RenderNeeds, renderApplication } from "./render-application.ts";

/** What of an application's objects is secret, and how to hide it: of Secrets, and what sensitive stages have put into manifests, wherever it went from there. */
export interface ApplicationSecrets {
  /** Whether the sources name the object. */
  names(key: ResourceKey): boolean;
  /**
   * Versions of one object as a person may see them: git's, the live one, what the server would make of it. Equal
   * secrets look equal.
   */
  hide(versions: readonly (Manifest | undefined)[], live: TenantLive): (Manifest | undefined)[];
}

/**
 * By what the sources give, never by the kind of source that the status names: whoever may write the Application could
 * write another. Where nobody can tell what is secret, every text is hidden.
 */
export async function secretsOfApplication(
  context: RenderNeeds,
  app: Application,
  signal: AbortSignal,
): Promise<ApplicationSecrets> {
  const harmless = harmlessOf(context);
  const hidden = hiddenAnnotations(context);
  const id = `${app.metadata.namespace}/${app.metadata.name} ${canonicalJson(sourcesOf(app))}`;
  try {
    const revisions = comparedRevisions(app);
    const { manifests, sourceTypes } = await renderApplication(context, app, { revisions, signal });
    if (!sourceTypes.includes("Plugin")) harmless.add(id);
    return secretsOf(app, manifests, hidden);
  } catch (error) {
    signal.throwIfAborted();
    if (!isCapstanError(error)) throw error;
    // Helm, Kustomize and Directory have no sensitive stage.
    return harmless.has(id) ? secretsOf(app, [], hidden) : everythingHidden(hidden);
  }
}

/** Of Secrets, beside their data. */
export function hiddenAnnotations({ settings }: Pick<RenderNeeds, "settings">): readonly string[] {
  return settings.current.general.maskedAnnotations;
}

function everythingHidden(hidden: readonly string[]): ApplicationSecrets {
  return {
    names: () => false,
    hide: (versions) =>
      maskSecrets(
        hidden,
        versions.map((version) => version && maskAllTexts(version)),
      ),
  };
}

const maxHarmless = 10_000;
const harmlessSources = new WeakMap<RenderNeeds["repo"], RecentSet>();

function harmlessOf({ repo }: Pick<RenderNeeds, "repo">): RecentSet {
  const known = harmlessSources.get(repo) ?? new RecentSet(maxHarmless);
  harmlessSources.set(repo, known);
  return known;
}

/** `hidden`: of Secrets, the annotations that are hidden too. */
export function secretsOf(
  app: Application,
  rendered: readonly RenderedManifest[],
  hidden: readonly string[],
): ApplicationSecrets {
  const named = new Set(rendered.flatMap((one) => keysOf(one, app).map(keyText)));
  const sensitive = rendered.filter(({ secretPaths }) => secretPaths?.length);
  const found = sensitiveByKey(sensitive, app);
  const texts = sensitive.flatMap(({ manifest, secretPaths }) => textsAt(secretPaths, manifest));
  return {
    names: (key) => named.has(keyText(key)),
    hide(versions, live) {
      const object = versions.find((version) => version !== undefined);
      if (sensitive.length === 0 || object === undefined) return maskSecrets(hidden, versions);
      const own = found.get(keyText(keyOf(object)));
      const [, ...masked] = maskPaths(own?.paths, own?.manifest, ...versions);
      const inherited = ownersOf(live, object).flatMap((owner) => found.get(keyText(owner))?.paths ?? []);
      const copies = inherited.flatMap(placesOfCopies);
      return maskSecrets(
        hidden,
        masked.map((version) => version && maskTexts(texts, maskPaths(copies, version)[0] ?? version)),
      );
    },
  };
}

interface Sensitive {
  manifest: Manifest;
  paths: ValuePath[];
}

/** Of the same object at several revisions, what is secret at one of them. */
function sensitiveByKey(rendered: readonly RenderedManifest[], app: Application): Map<string, Sensitive> {
  const found = new Map<string, Sensitive>();
  for (const one of rendered)
    for (const key of keysOf(one, app).map(keyText)) {
      const { manifest, paths } = found.get(key) ?? { manifest: one.manifest, paths: [] };
      found.set(key, { manifest, paths: [...paths, ...(one.secretPaths ?? [])] });
    }
  return found;
}

/** A manifest without a namespace is the destination's, or of no namespace at all. */
function keysOf({ manifest }: RenderedManifest, app: Application): ResourceKey[] {
  const key = keyOf(manifest);
  const namespace = app.spec.destination.namespace ?? "";
  return key.namespace === "" ? [key, { ...key, namespace }] : [key];
}

const mostOwners = 8;

/** Up to the one that nobody owns. */
function ownersOf(live: TenantLive, object: Manifest): ResourceKey[] {
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
