import { keyOf, type Manifest, type ResourceKey } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import { isSameVersion } from "./is-newer.ts";
import type { ObjectIndex } from "./object-index.ts";
import { PackedFields } from "./packed-fields.ts";
import { SharedParts } from "./shared-parts.ts";
import { takeOver } from "./take-over.ts";

interface OfClient {
  readonly indexes: Set<ObjectIndex>;
  readonly parts: SharedParts;
  readonly fields: PackedFields;
  /** By kind, the object that came last: what its neighbours say is mostly what it says. */
  readonly latest: Map<string, ResourceKey>;
}

const known = new WeakMap<KubeClient, OfClient>();

/**
 * States that follow one cluster through one client hold the same objects: an Application is looked at by the API and
 * by the state of the cluster that it stands in. Each version of it is kept once.
 */
export function holdOnce(
  client: KubeClient,
  index: ObjectIndex,
  { isCompact = false }: { isCompact?: boolean | undefined } = {},
): { held(object: Manifest): Manifest; leave(): void } {
  const of = known.get(client) ?? {
    ...{ indexes: new Set(), parts: new SharedParts(), fields: new PackedFields(), latest: new Map() },
  };
  const { indexes, parts, fields, latest } = of;
  known.set(client, of);
  indexes.add(index);
  return {
    held(object) {
      const key = keyOf(object);
      const before = index.get(key);
      // Taken in while its page was read, and told again with the whole list.
      if (before === object) return object;
      for (const other of indexes) {
        const same = other === index ? undefined : other.get(key);
        if (same && isSameVersion(same, object)) return same;
      }
      if (isCompact) {
        const packed = fields.pack(object);
        parts.share(packed, { isPacked: true });
        return packed;
      }
      const kind = `${object.apiVersion} ${object.kind}`;
      const neighbour = latest.get(kind);
      // What Applications have alike is found by its text, below, wherever they say it.
      if (neighbour && !(before && object.kind === "Application")) takeOver(object, index.get(neighbour));
      latest.set(kind, key);
      if (before) takeOver(object, before);
      parts.share(object, { before });
      return object;
    },
    leave: () => void indexes.delete(index),
  };
}
