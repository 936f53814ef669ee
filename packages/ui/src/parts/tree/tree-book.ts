import type { ApplicationTree, ResourceNode, ResourceRef, ResourceStatus } from "@capstan/model";
import { resourceId, resourceKey } from "../../resource-id.ts";
import { type ItemFacts, inOrder, newItem, sizeOf, type TreeItem, type TreeRoot } from "./tree-items.ts";

/** What tells the states of the objects that it has. */
interface Listed {
  readonly status?: { readonly resources?: readonly ResourceStatus[] };
}

/** The tree as the server tells it, and objects of the status that are not in the cluster. */
export function treeItems(app: Listed | undefined, tree: ApplicationTree | undefined): TreeRoot {
  return new TreeBook().read(app, tree);
}

/** The tree of one application from change to change: what stays as it is, and all below it, is the same item. */
export class TreeBook {
  readonly #own = new Forest();
  readonly #orphans = new Forest({ isOrphan: true });
  /** Nodes made of the status alone; the same ones for as long as the cluster tells nothing of them. */
  #absent = new Map<string, ResourceNode>();

  read(app: Listed | undefined, tree: ApplicationTree | undefined): TreeRoot {
    const statuses = new Map(
      (app?.status?.resources ?? []).map((status) => [resourceKey(status), status] as const),
    );
    const nodes = tree?.nodes ?? [];
    const inTree = new Set(nodes.map(keyOf));
    const absent = new Map<string, ResourceNode>();
    for (const [key, status] of statuses)
      if (!inTree.has(key)) absent.set(key, this.#absent.get(key) ?? resourceId(status));
    this.#absent = absent;
    const items = this.#own.read([...nodes, ...absent.values()], statuses);
    const orphans = this.#orphans.read(tree?.orphanedNodes ?? [], new Map());
    return { items, size: sizeOf(items), orphans, ...(!tree && { isWaiting: true }) };
  }
}

const keysOfNodes = new WeakMap<ResourceRef, string>();

/** Of a node or of a reference, made once: those that stay the same are the same objects from change to change. */
function keyOf(node: ResourceRef): string {
  let key = keysOfNodes.get(node);
  if (key === undefined) {
    key = resourceKey(node);
    keysOfNodes.set(node, key);
  }
  return key;
}

/** A node where it hangs. */
interface Place {
  readonly key: string;
  node: ResourceNode;
  status: ResourceStatus | undefined;
  /** Undefined: it hangs on nothing. */
  parent: Place | undefined;
  /** In the order in which people look, but for those that came since. */
  below: Set<Place>;
  /** Undefined: this or something below is otherwise since it was made. */
  item: TreeItem | undefined;
}

/** Nodes and where they hang. A change costs what it changes, and one look at each node whether it is another one. */
class Forest {
  readonly #facts: Pick<ItemFacts, "isOrphan">;
  readonly #places = new Map<string, Place>();
  /** Keys of those whose owner has this key, also where it is not there. */
  readonly #owned = new Map<string, Set<string>>();
  /** Keys of those that would hang on what hangs on them. */
  #loose = new Set<string>();
  #top = new Set<Place>();
  #items: readonly TreeItem[] = [];

  constructor(facts: Pick<ItemFacts, "isOrphan"> = {}) {
    this.#facts = facts;
  }

  read(nodes: readonly ResourceNode[], statuses: ReadonlyMap<string, ResourceStatus>): readonly TreeItem[] {
    this.#hangAnew(this.#take(nodes));
    for (const place of this.#places.values()) {
      const status = statuses.get(place.key);
      if (status === place.status) continue;
      place.status = status;
      makeAnew(place);
    }
    this.#top = this.#ordered(this.#top);
    const items = Array.from(this.#top, (place) => this.#item(place));
    const isSame = items.length === this.#items.length && items.every((item, at) => item === this.#items[at]);
    if (!isSame) this.#items = items;
    return this.#items;
  }

  /** Answers the keys of those that may hang elsewhere now. */
  #take(nodes: readonly ResourceNode[]): ReadonlySet<string> {
    const moved = new Set(this.#loose);
    let same = 0;
    for (const node of nodes) {
      const place = this.#places.get(keyOf(node));
      if (place?.node === node) same += 1;
      else if (place) this.#renew(place, node, moved);
      else this.#add(node, moved);
    }
    if (same < nodes.length || this.#places.size > nodes.length) this.#dropAbsent(nodes, moved);
    return moved;
  }

  #add(node: ResourceNode, moved: Set<string>): void {
    const key = keyOf(node);
    const nothing = { status: undefined, parent: undefined, item: undefined };
    const place: Place = { key, node, below: new Set(), ...nothing };
    this.#places.set(key, place);
    this.#top.add(place);
    this.#own(place);
    this.#mayMove(key, moved);
  }

  #renew(place: Place, node: ResourceNode, moved: Set<string>): void {
    this.#disown(place);
    place.node = node;
    this.#own(place);
    makeAnew(place);
    this.#mayMove(place.key, moved);
  }

  /** It, and what names it as an owner. */
  #mayMove(key: string, moved: Set<string>): void {
    moved.add(key);
    for (const owned of this.#owned.get(key) ?? []) moved.add(owned);
  }

  #dropAbsent(nodes: readonly ResourceNode[], moved: Set<string>): void {
    const there = new Set(nodes.map(keyOf));
    for (const place of this.#places.values()) {
      if (there.has(place.key)) continue;
      this.#places.delete(place.key);
      this.#disown(place);
      makeAnew(place);
      this.#beside(place).delete(place);
      for (const child of place.below) moved.add(child.key);
    }
  }

  #own({ key, node }: Place): void {
    for (const ref of node.parentRefs ?? []) {
      const owner = keyOf(ref);
      const owned = this.#owned.get(owner);
      if (owned) owned.add(key);
      else this.#owned.set(owner, new Set([key]));
    }
  }

  #disown({ key, node }: Place): void {
    for (const ref of node.parentRefs ?? []) {
      const owned = this.#owned.get(keyOf(ref));
      owned?.delete(key);
      if (owned?.size === 0) this.#owned.delete(keyOf(ref));
    }
  }

  /**
   * Each on the first of its owners that is there; on nothing where that one hangs on it: nothing may be left out.
   * All that may move are taken down first, so that no loop is seen through what hangs elsewhere by now.
   */
  #hangAnew(keys: ReadonlySet<string>): void {
    const moved = [...keys].flatMap((key) => this.#places.get(key) ?? []);
    for (const place of moved) this.#move(place, undefined);
    this.#loose = new Set();
    for (const place of moved) {
      const owners = (place.node.parentRefs ?? []).map((ref) => this.#places.get(keyOf(ref)));
      const first = owners.find((owner) => owner !== undefined);
      if (first && hangsOn(first, place)) this.#loose.add(place.key);
      else this.#move(place, first);
    }
  }

  #move(place: Place, parent: Place | undefined): void {
    if (place.parent === parent) return;
    makeAnew(place);
    this.#beside(place).delete(place);
    place.parent = parent;
    this.#beside(place).add(place);
    makeAnew(place);
  }

  /** Those that hang where this one hangs. */
  #beside({ parent }: Place): Set<Place> {
    return parent?.below ?? this.#top;
  }

  #item(place: Place): TreeItem {
    if (place.item) return place.item;
    place.below = this.#ordered(place.below);
    const children = Array.from(place.below, (child) => this.#item(child));
    place.item = newItem(place.node, children, { status: place.status, ...this.#facts });
    return place.item;
  }

  #ordered(places: ReadonlySet<Place>): Set<Place> {
    return new Set([...places].sort((left, right) => inOrder(this.#item(left), this.#item(right))));
  }
}

/** What it hangs on shows it, so that it is made anew, too. */
function makeAnew(place: Place): void {
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) at.item = undefined;
}

function hangsOn(place: Place, other: Place): boolean {
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) if (at === other) return true;
  return false;
}
