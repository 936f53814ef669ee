import { keyOf, type Manifest } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import type { ObjectIndex } from "./object-index.ts";

const indexes = new WeakMap<KubeClient, Set<ObjectIndex>>();

/**
 * States that follow one cluster through one client hold the same objects: an Application is looked at by the API and
 * by the state of the cluster that it stands in. Each version of it is kept once.
 */
export function holdOnce(
  client: KubeClient,
  index: ObjectIndex,
): { held(object: Manifest): Manifest; leave(): void } {
  const all = indexes.get(client) ?? new Set();
  indexes.set(client, all.add(index));
  return {
    held(object) {
      if (all.size === 1) return object;
      const key = keyOf(object);
      for (const other of all) {
        const known = other === index ? undefined : other.get(key);
        if (known && isSame(known, object)) return known;
      }
      return object;
    },
    leave: () => void all.delete(index),
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
