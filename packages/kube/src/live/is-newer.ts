import type { Manifest } from "@capstan/model";

/**
 * Resource versions of one object are etcd revisions and so can be compared (KEP-5504); an object that was deleted
 * and made anew has another uid, and what arrives later is the newer.
 */
export function isNewer(object: Manifest, than: Manifest): boolean {
  if (object.metadata.uid !== than.metadata.uid) return true;
  const one = object.metadata.resourceVersion ?? "";
  const other = than.metadata.resourceVersion ?? "";
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return one !== other;
  return one.length === other.length ? one > other : one.length > other.length;
}

/** Whether both are one state of one object, in the same form. */
export function isSameVersion(object: Manifest, other: Manifest): boolean {
  const [{ uid, resourceVersion }, than] = [object.metadata, other.metadata];
  if (uid === undefined || !resourceVersion) return false;
  return (
    uid === than.uid && resourceVersion === than.resourceVersion && object.apiVersion === other.apiVersion
  );
}
