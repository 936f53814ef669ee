import type { ProjectAccess } from "@capstan/engine/permit";
import { keyOf, type Manifest, type ResourceKey } from "@capstan/model";
import type { LiveState } from "../live/live-state.ts";
import { nodeOf } from "../live/placed-pods.ts";

/** The live state as one application's project lets it be seen: what is forbidden is not there. */
export class TenantLive {
  readonly #live: LiveState;
  readonly #access: ProjectAccess;

  constructor(live: LiveState, access: ProjectAccess) {
    this.#live = live;
    this.#access = access;
  }

  /** Resolves once every kind was listed; rejects with the problem while the cluster cannot be read. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#live.ready(signal);
  }

  get(key: ResourceKey): Manifest | undefined {
    return this.#permitted(this.#live.get(key));
  }

  byUid(uid: string): Manifest | undefined {
    return this.#permitted(this.#live.byUid(uid));
  }

  /** Objects with the application's tracking metadata and no owner. `app` is the instance name. */
  managedBy(app: string): readonly Manifest[] {
    return this.#live.managedBy(app).filter((object) => this.#permits(object));
  }

  /** Objects of a namespace that nothing owns and that no application has. */
  unownedIn(namespace: string, isApplication: (instance: string) => boolean): readonly Manifest[] {
    return this.#live.unownedIn(namespace, isApplication).filter((object) => this.#permits(object));
  }

  /** Why the objects of a kind are not known; undefined when they are. */
  unreadable(kind: { group: string; kind: string }): string | undefined {
    return this.#live.unreadable(kind);
  }

  /** Whether the objects of a kind are asked for one by one: by the operator's will it is not watched. */
  listVersions(kind: { group: string; kind: string }): readonly string[] {
    return this.#live.listVersions(kind);
  }

  isLeftAlone(kind: { group: string; kind: string }): boolean {
    return this.#live.isLeftAlone(kind);
  }

  children(uid: string): readonly Manifest[] {
    return this.#live.children(uid).filter((object) => this.#permits(object));
  }

  /**
   * The nodes of these Pods, as far as they may be seen, with all that is placed there: for sums, which tell nothing of
   * a single Pod. A project need not permit nodes for it (controller getAppHosts).
   */
  hostsOf(pods: readonly ResourceKey[]): { node: Manifest; pods: readonly Manifest[] }[] {
    const placed = pods.flatMap((key) => this.get(key) ?? []);
    const names = new Set(placed.flatMap((pod) => nodeOf(pod) ?? []));
    return [...names].flatMap((name) => {
      const node = this.#live.get({ group: "", kind: "Node", namespace: "", name });
      return node ? [{ node, pods: this.#live.podsOn(name) }] : [];
    });
  }

  /** Applications whose tree holds the object; none for one that is forbidden. */
  appsOf(object: Manifest): readonly string[] {
    return this.#permits(object) ? this.#live.appsOf(object) : [];
  }

  /** Takes in the answer to a write of our own. */
  observe(object: Manifest): void {
    this.#live.observe(object);
  }

  /** The object is gone, as the answer to our own deletion said. */
  forget(key: ResourceKey, uid: string): void {
    this.#live.forget(key, uid);
  }

  refreshKinds(signal: AbortSignal): Promise<void> {
    return this.#live.refreshKinds(signal);
  }

  #permitted(object: Manifest | undefined): Manifest | undefined {
    return object && this.#permits(object) ? object : undefined;
  }

  #permits(object: Manifest): boolean {
    return this.#access.permits(keyOf(object));
  }
}
