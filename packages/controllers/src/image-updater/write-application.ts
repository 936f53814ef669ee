import {
  type ImagePlan,
  imageSettings,
  imageSource,
  type SourceSetting,
  withSettings,
} from "@capstan/engine";
import { argoApiVersion, hasMultipleSources, sourcesOf } from "@capstan/model";
import type { StoredApplication, UpdaterNeeds } from "./updater-needs.ts";

/** The settings that the changes of a plan are, for the source that renders the images. */
export function plannedSettings(
  app: StoredApplication,
  { changes, writeBack }: ImagePlan,
): { index: number; settings: SourceSetting[] } | undefined {
  const source = imageSource(app, writeBack);
  if (!source) return undefined;
  return { index: source.index, settings: changes.flatMap((change) => imageSettings(change, source.tool)) };
}

/**
 * Sets the images in the Application itself, for the version of it that was looked at and no other: the API server
 * refuses it where somebody else has written meanwhile. Resolves to false where it has them already.
 */
export async function writeApplication(
  { client, live }: Pick<UpdaterNeeds, "client" | "live">,
  { app, plan }: { app: StoredApplication; plan: ImagePlan },
  signal: AbortSignal,
): Promise<boolean> {
  const planned = plannedSettings(app, plan);
  const sources = sourcesOf(app);
  const source = planned && sources[planned.index];
  if (!source) return false;
  const changed = withSettings(source, planned.settings);
  if (changed === source) return false;
  const { helm, kustomize, plugin } = changed;
  const spec = hasMultipleSources(app.spec)
    ? { sources: sources.with(planned.index, changed) }
    : {
        source: {
          ...(helm?.parameters ? { helm: { parameters: helm.parameters } } : {}),
          ...(kustomize?.images ? { kustomize: { images: kustomize.images } } : {}),
          ...(plugin?.env ? { plugin: { env: plugin.env } } : {}),
        },
      };
  const { name, namespace, resourceVersion } = app.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  live.observe(await client.patch(ref, { type: "merge", body: { metadata, spec } }, { signal }));
  return true;
}
