import { isRecord } from "@capstan/formats";
import { type ApplicationSource, isCapstanError, type Manifest } from "@capstan/model";

/** The images as they are without the source's overrides; none where it cannot be built now. */
export async function readImages(
  render: (change: (source: ApplicationSource) => ApplicationSource) => Promise<readonly Manifest[]>,
): Promise<string[]> {
  try {
    const manifests = await render((source) => {
      const { images: _images, ...kustomize } = source.kustomize ?? {};
      return { ...source, kustomize };
    });
    return [...new Set(manifests.flatMap(imagesIn))].sort();
  } catch (error) {
    if (isCapstanError(error)) return [];
    throw error;
  }
}

/** Argo CD: util/kustomize getImageParameters. */
function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if ((name !== "containers" && name !== "initContainers") || !Array.isArray(item)) return imagesIn(item);
    return item.flatMap((container) =>
      isRecord(container) && typeof container.image === "string" ? [container.image] : [],
    );
  });
}
