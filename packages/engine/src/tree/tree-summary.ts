import { type ApplicationSummary, keyOf, keyText, type Manifest } from "@capstan/model";
import { imagesOf } from "./images.ts";
import { networkingOf } from "./networking.ts";

/**
 * What runs in an application's tree and where it is reached: each image and address once, sorted (v1alpha1
 * ApplicationTree.GetSummary). It is asked for at every look, so that no tree is made for it.
 */
export function treeSummary(
  roots: readonly Manifest[],
  childrenOf: (uid: string) => readonly Manifest[],
): Pick<ApplicationSummary, "images" | "externalURLs"> {
  const [seen, images, urls] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const queue = [...roots];
  for (const object of queue) {
    const { uid } = object.metadata;
    const id = uid ?? keyText(keyOf(object));
    if (seen.has(id)) continue;
    seen.add(id);
    if (object.kind === "Pod") for (const image of imagesOf(object)) images.add(image);
    for (const url of networkingOf(object)?.externalURLs ?? []) urls.add(url);
    if (uid !== undefined) for (const child of childrenOf(uid)) queue.push(child);
  }
  return {
    ...(images.size > 0 ? { images: [...images].sort() } : {}),
    ...(urls.size > 0 ? { externalURLs: [...urls].sort() } : {}),
  };
}
