import type { Manifest, ResourceKey } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import type { InstanceOf } from "./object-index.ts";

export interface LiveChange {
  readonly key: ResourceKey;
  readonly previous: Manifest | undefined;
  readonly current: Manifest | undefined;
  /** Instances of the applications whose tree holds the object, before or after the change. */
  readonly apps: readonly string[];
  /** The object itself carries tracking metadata and has no owner, before or after the change. */
  readonly managed: boolean;
}

export interface LiveStats {
  objects: number;
  kinds: number;
  problems: readonly { kind: string; problem: string }[];
  /** Changes that watches told of, by kind, since each is watched. */
  events: readonly { group: string; kind: string; count: number }[];
}

/** What is in one cluster, kept up to date by watches. Objects are shared: never change one. */
export interface LiveState extends AsyncDisposable {
  /**
   * Resolves once every kind was listed; rejects with the problem while the cluster cannot be read, and when the
   * state is closed: nothing may be decided by an empty one.
   */
  ready(signal: AbortSignal): Promise<void>;
  get(key: ResourceKey): Manifest | undefined;
  byUid(uid: string): Manifest | undefined;
  ofKind(group: string, kind: string): readonly Manifest[];
  /** Objects with the application's tracking metadata and no owner. `app` is the instance name. */
  managedBy(app: string): readonly Manifest[];
  /**
   * Objects of a namespace that nothing owns and that name no application, or one of which `isApplication` says that
   * it is not there. Costs what it gives.
   */
  unownedIn(namespace: string, isApplication: (instance: string) => boolean): readonly Manifest[];
  /** Pods that are placed on a node. Costs what it gives. */
  podsOn(node: string): readonly Manifest[];
  children(uid: string): readonly Manifest[];
  /** Applications whose tree holds the object. */
  appsOf(object: Manifest): readonly string[];
  /** Calls the listener after each change once the state is ready. Returns what ends it. */
  onChange(listener: (change: LiveChange) => void): () => void;
  /**
   * Why the objects of a kind are not known, although others are: mostly that the account may not list them. What is
   * held of it may be old, and that nothing is held means nothing.
   */
  unreadable(kind: { group: string; kind: string }): string | undefined;
  /** Whether a kind is not watched because it may not be listed, by the operator's will: its objects are asked for one by one. */
  isLeftAlone(kind: { group: string; kind: string }): boolean;
  /** Resource versions of the latest lists of a kind, one for each namespace that is listed by itself. */
  listVersions(kind: { group: string; kind: string }): readonly string[];
  /** Kinds that are watched, in their preferred version. */
  kinds(): readonly ApiResource[];
  /** Takes in the answer to a write of our own, which the watch will bring later. */
  observe(object: Manifest): void;
  /** The object is gone, as the answer to our own deletion said. */
  forget(key: ResourceKey, uid: string): void;
  /** Looks for new kinds now and waits until they were listed: for a CRD that was just applied. */
  refreshKinds(signal: AbortSignal): Promise<void>;
  /** Sorts all objects anew after a change of the tracking method. */
  reindex(instanceOf: InstanceOf): void;
  stats(): LiveStats;
}
