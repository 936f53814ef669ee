import { keyOf, type Manifest } from "@capstan/model";
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
    ...{ indexes: new Set(), parts: new SharedParts(), fields: new PackedFields() },
  };
  const { indexes, parts, fields } = of;
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
      if (before) takeOver(object, before);
      parts.share(object, { before });
      return object;
    },
    leave: () => void indexes.delete(index),
  };
}
