import type { LiveState } from "@capstan/kube";
import { type ImageUpdater, imageUpdaterGroup, isLiveUpdater, type Manifest } from "@capstan/model";

/** The ImageUpdaters of a namespace, as the cluster has them now. */
export function liveUpdaters(
  live: Pick<LiveState, "ofKind">,
  namespace: string,
): readonly (Manifest & ImageUpdater)[] {
  return live
    .ofKind(imageUpdaterGroup, "ImageUpdater")
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter(isLiveUpdater);
}
