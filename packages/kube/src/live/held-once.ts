import { keyOf, type Manifest } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import type { ObjectIndex } from "./object-index.ts";
import { SharedParts } from "./shared-parts.ts";

interface OfClient {
  readonly indexes: Set<ObjectIndex>;
  readonly parts: SharedParts;
}

const known = new WeakMap<KubeClient, OfClient>();

/**
 * States that follow one cluster through one client hold the same objects: an Application is looked at by the API and
 * by the state of the cluster that it stands in. Each version of it is kept once.
 */
export function holdOnce(
  client: KubeClient,
  index: ObjectIndex,
): { held(object: Manifest): Manifest; leave(): void } {
  const { indexes, parts } = known.get(client) ?? { indexes: new Set(), parts: new SharedParts() };
  known.set(client, { indexes: indexes.add(index), parts });
  return {
    held(object) {
      const key = keyOf(object);
      for (const other of indexes) {
        const same = other === index ? undefined : other.get(key);
        if (same && isSame(same, object)) return same;
      }
      parts.share(object);
      return object;
    },
    leave: () => void indexes.delete(index),
  };
}

function isSame(known: Manifest, object: Manifest): boolean {
  const [one, other] = [known.metadata, object.metadata];
  if (one.uid === undefined || !one.resourceVersion) return false;
  return (
    one.uid === other.uid &&
    one.resourceVersion === other.resourceVersion &&
    known.apiVersion === object.apiVersion
  );
}
