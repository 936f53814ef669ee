import { ValuesByKey } from "@capstan/flow";
import {
  groupOf,
  keyOf,
  keyText,
  type Manifest,
  type OwnerReference,
  type ResourceKey,
} from "@capstan/model";
import { offersOf, wantedOwner } from "./inferred-owner.ts";
import { PlacedPods } from "./placed-pods.ts";
import { UnownedIndex } from "./unowned-index.ts";

/** An object with what the indexes need to know of it. */
interface Entry {
  readonly manifest: Manifest;
  readonly id: string;
  readonly uid: string;
  readonly app: string | undefined;
  readonly owners: readonly OwnerReference[];
  readonly offers: readonly string[];
  readonly wanted: string | undefined;
}

/** Most objects have none: an empty list for each would be kept as long as the object. */
const none: readonly never[] = [];

/** Application instance that an object says it belongs to. */
export type InstanceOf = (object: Manifest) => string | undefined;

/** Live objects by key, by uid, by kind, by owner and by application. Nothing here scans all objects. */
export class ObjectIndex {
  readonly #byId = new Map<string, Entry>();
  readonly #byUid = new Map<string, Entry>();
  readonly #byKind = new ValuesByKey<Entry>();
  readonly #byApp = new ValuesByKey<Entry>();
  readonly #byOwner = new ValuesByKey<Entry>();
  readonly #byOffer = new Map<string, Entry>();
  readonly #byWanted = new ValuesByKey<Entry>();
  /** Made when it is first asked for: most installations watch for no orphans. */
  #unowned: UnownedIndex<Entry> | undefined;
  /** Made when it is first asked for, like it. */
  #placed: PlacedPods<Entry> | undefined;
  #instanceOf: InstanceOf;

  constructor(instanceOf: InstanceOf) {
    this.#instanceOf = instanceOf;
  }

  get size(): number {
    return this.#byId.size;
  }

  instanceOf(object: Manifest): string | undefined {
    return this.#instanceOf(object);
  }

  get(key: ResourceKey): Manifest | undefined {
    return this.#byId.get(keyText(key))?.manifest;
  }

  byUid(uid: string): Manifest | undefined {
    return this.#byUid.get(uid)?.manifest;
  }

  ofKind(group: string, kind: string): Manifest[] {
    return manifestsOf(this.#byKind.of(kindId(group, kind)));
  }

  /** Objects that carry the application's tracking metadata and have no owner. */
  managedBy(app: string): Manifest[] {
    const found: Manifest[] = [];
    for (const entry of this.#byApp.of(app)) if (entry.owners.length === 0) found.push(entry.manifest);
    return found;
  }

  /** Objects of a namespace that nothing owns, and that name no application or one that is not there. */
  unownedIn(namespace: string, isApplication: (instance: string) => boolean): Manifest[] {
    const found: Manifest[] = [];
    for (const entry of this.#unownedIndex().of(namespace, isApplication))
      if (this.#parentsOf(entry).length === 0) found.push(entry.manifest);
    return found;
  }

  /** Pods that are placed on a node. */
  podsOn(node: string): Manifest[] {
    return manifestsOf(this.#placedPods().on(node));
  }

  children(uid: string): Manifest[] {
    const found = manifestsOf(this.#byOwner.of(uid));
    for (const offer of this.#byUid.get(uid)?.offers ?? [])
      found.push(...manifestsOf(this.#byWanted.of(offer)));
    return found;
  }

  /** Applications whose tree holds the object: found by walking up its owners. */
  appsOf(object: Manifest): string[] {
    const apps = new Set<string>();
    const seen = new Set<string>();
    const walk = (entry: Entry): void => {
      if (seen.has(entry.id)) return;
      seen.add(entry.id);
      const parents = this.#parentsOf(entry);
      if (entry.owners.length === 0 && entry.app !== undefined) apps.add(entry.app);
      for (const parent of parents) walk(parent);
    };
    walk(this.#byId.get(keyText(keyOf(object))) ?? this.#entryOf(object));
    return [...apps];
  }

  set(manifest: Manifest): Manifest | undefined {
    const entry = this.#entryOf(manifest);
    const before = this.#byId.get(entry.id);
    if (before) this.#drop(before);
    this.#byId.set(entry.id, entry);
    this.#byUid.set(entry.uid, entry);
    this.#byKind.add(kindOf(manifest), entry);
    if (entry.app !== undefined) this.#byApp.add(entry.app, entry);
    for (const owner of entry.owners) this.#byOwner.add(owner.uid, entry);
    for (const offer of entry.offers) this.#byOffer.set(offer, entry);
    if (entry.wanted !== undefined) this.#byWanted.add(entry.wanted, entry);
    this.#unowned?.add(entry);
    this.#placed?.add(entry);
    return before?.manifest;
  }

  delete(key: ResourceKey): Manifest | undefined {
    const entry = this.#byId.get(keyText(key));
    if (!entry) return undefined;
    this.#drop(entry);
    return entry.manifest;
  }

  /** Sorts everything anew, as after a change of the tracking method. */
  reindex(instanceOf: InstanceOf): void {
    this.#instanceOf = instanceOf;
    for (const entry of [...this.#byId.values()]) this.set(entry.manifest);
  }

  #unownedIndex(): UnownedIndex<Entry> {
    if (this.#unowned) return this.#unowned;
    const made = new UnownedIndex<Entry>();
    for (const entry of this.#byId.values()) made.add(entry);
    this.#unowned = made;
    return made;
  }

  #placedPods(): PlacedPods<Entry> {
    if (this.#placed) return this.#placed;
    const made = new PlacedPods<Entry>();
    for (const entry of this.#byKind.of(kindId("", "Pod"))) made.add(entry);
    this.#placed = made;
    return made;
  }

  #parentsOf(entry: Entry): Entry[] {
    const parents: Entry[] = [];
    for (const owner of entry.owners) {
      const parent = this.#byUid.get(owner.uid);
      if (parent) parents.push(parent);
    }
    const offering = entry.wanted === undefined ? undefined : this.#byOffer.get(entry.wanted);
    if (offering) parents.push(offering);
    return parents;
  }

  #entryOf(manifest: Manifest): Entry {
    const id = keyText(keyOf(manifest));
    const offers = offersOf(manifest);
    return {
      manifest,
      id,
      uid: manifest.metadata.uid ?? id,
      app: this.#instanceOf(manifest),
      owners: manifest.metadata.ownerReferences ?? none,
      offers: offers.length > 0 ? offers : none,
      wanted: wantedOwner(manifest),
    };
  }

  #drop(entry: Entry): void {
    this.#byId.delete(entry.id);
    if (this.#byUid.get(entry.uid) === entry) this.#byUid.delete(entry.uid);
    this.#byKind.remove(kindOf(entry.manifest), entry);
    if (entry.app !== undefined) this.#byApp.remove(entry.app, entry);
    for (const owner of entry.owners) this.#byOwner.remove(owner.uid, entry);
    for (const offer of entry.offers) this.#byOffer.delete(offer);
    if (entry.wanted !== undefined) this.#byWanted.remove(entry.wanted, entry);
    this.#unowned?.remove(entry);
    this.#placed?.remove(entry);
  }
}

function kindOf({ apiVersion, kind }: Manifest): string {
  return kindId(groupOf(apiVersion), kind);
}

function kindId(group: string, kind: string): string {
  return `${group}/${kind}`;
}

function manifestsOf(entries: Iterable<Entry>): Manifest[] {
  return Array.from(entries, (entry) => entry.manifest);
}
