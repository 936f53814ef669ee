import type { LiveState } from "@capstan/kube";
import { type ImageUpdater, imageUpdaterGroup, isImageUpdater, type Manifest } from "@capstan/model";

/** The ImageUpdaters of a namespace, as the cluster has them now. Each is read once. */
export function liveUpdaters(
  live: Pick<LiveState, "ofKind">,
): (namespace: string) => readonly (Manifest & ImageUpdater)[] {
  const known = new WeakMap<Manifest, boolean>();
  const isOne = (object: Manifest): object is Manifest & ImageUpdater => {
    const verdict = known.get(object) ?? isImageUpdater(object);
    known.set(object, verdict);
    return verdict;
  };
  return (namespace) =>
    live
      .ofKind(imageUpdaterGroup, "ImageUpdater")
      .filter(({ metadata }) => metadata.namespace === namespace)
      .filter(isOne);
}
