import type { Entry } from "../store/entry.ts";
import type { KubeObject, ResourceInfo } from "../types.ts";

/** What of the store is read for it. */
export interface Sources {
  list(type: string, namespace?: string): readonly Entry[];
}

/** A kind that is kept nowhere: each of its objects is made, when it is asked for, of another one of the same name. */
export interface Computed {
  /** Its names: no kube-apiserver describes it. */
  readonly described: ResourceInfo;
  /** The key in the store of what it is made of. */
  readonly source: string;
  /** Makes the objects of one answer; nothing where there is nothing to tell of a source. */
  maker(sources: Sources, now: string): (source: Entry) => KubeObject | undefined;
}
