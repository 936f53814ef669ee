import { isRecord } from "@capstan/formats";
import { fieldManager, type ManagedFieldsEntry, type Manifest } from "@capstan/model";

/**
 * Fields with their owners, as metadata.managedFields tells them (FieldsV1: "f:" a field, "k:" an item of a keyed
 * list, "v:" a member of a set, "." the thing itself). KEP-555, structured-merge-diff fieldpath.
 */
export interface FieldSet {
  /** Managers that own this very thing, not only parts of it. */
  readonly owners: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, FieldSet>;
  readonly items: readonly KeyedItem[];
  readonly members: readonly { readonly value: unknown; readonly owners: ReadonlySet<string> }[];
}

export interface KeyedItem {
  readonly key: { readonly [name: string]: unknown };
  readonly set: FieldSet;
}

type FieldsV1 = { readonly [name: string]: unknown };

/** What one manager says of a thing. */
interface Said {
  readonly fields: FieldsV1;
  readonly owner: string;
}

/** Ownership by everyone, or nothing when the object does not tell. Entries of subresources do not count. */
export function readFieldSet(
  live: Manifest,
  ownerOf: (entry: ManagedFieldsEntry) => string | undefined = ({ manager }) => manager,
): FieldSet | undefined {
  const entries = live.metadata.managedFields;
  if (entries === undefined || entries.length === 0) return undefined;
  const said: Said[] = [];
  for (const entry of entries) {
    const { fieldsV1, subresource } = entry;
    const owner = ownerOf(entry);
    if (owner === undefined || fieldsV1 === undefined || (subresource ?? "") !== "") continue;
    said.push({ fields: fieldsV1, owner });
  }
  return new LazyFieldSet(() => readLevel(said, new Owners()));
}

/** Read when it is looked into: what nobody asks about may be as wide as it likes. */
export class LazyFieldSet implements FieldSet {
  #read: () => FieldSet;

  constructor(read: () => FieldSet) {
    this.#read = () => {
      const set = read();
      this.#read = () => set;
      return set;
    };
  }

  get owners(): FieldSet["owners"] {
    return this.#read().owners;
  }
  get fields(): FieldSet["fields"] {
    return this.#read().fields;
  }
  get items(): FieldSet["items"] {
    return this.#read().items;
  }
  get members(): FieldSet["members"] {
    return this.#read().members;
  }
}

/** The thing itself and its parts, of which those that have parts are read later. */
function readLevel(said: readonly Said[], known: Owners): FieldSet {
  const owners: string[] = [];
  const parts = new Map<string, Said[]>();
  for (const { fields, owner } of said) {
    const names = Object.keys(fields);
    if (names.length === 0 || Object.hasOwn(fields, ".")) owners.push(owner);
    for (const name of names) {
      if (name === ".") continue;
      const below = fields[name];
      const part: Said = { fields: isRecord(below) ? below : {}, owner };
      const others = parts.get(name);
      if (others) others.push(part);
      else parts.set(name, [part]);
    }
  }
  if (parts.size === 0) return known.leaf(owners);
  const fields = new Map<string, FieldSet>();
  const items: KeyedItem[] = [];
  const members: { value: unknown; owners: ReadonlySet<string> }[] = [];
  for (const [name, of] of parts) {
    const text = name.slice(2);
    if (name.startsWith("f:")) fields.set(text, readPart(of, known));
    else if (name.startsWith("k:")) {
      const key: unknown = JSON.parse(text);
      if (isRecord(key)) items.push({ key, set: readPart(of, known) });
    } else if (name.startsWith("v:")) {
      members.push({ value: JSON.parse(text), owners: known.leaf(of.map(({ owner }) => owner)).owners });
    }
  }
  return { owners: known.leaf(owners).owners, fields, items, members };
}

function readPart(said: readonly Said[], known: Owners): FieldSet {
  const isLeafOfAll = said.every(({ fields }) => isEmpty(fields));
  return isLeafOfAll
    ? known.leaf(said.map(({ owner }) => owner))
    : new LazyFieldSet(() => readLevel(said, known));
}

function isEmpty(fields: FieldsV1): boolean {
  for (const _ in fields) return false;
  return true;
}

/** Nearly all that has no parts has the same owners: it is one thing. */
class Owners {
  readonly #leaves = new Map<string, FieldSet>();

  leaf(owners: readonly string[]): FieldSet {
    const id = owners.length === 1 ? `=${owners[0]}` : JSON.stringify(owners);
    const known = this.#leaves.get(id);
    if (known) return known;
    const leaf = { owners: new Set(owners), fields: new Map(), items: [], members: [] };
    this.#leaves.set(id, leaf);
    return leaf;
  }
}

/** Names under which this product and Argo CD before it wrote an object. */
export const ownManagers: ReadonlySet<string> = new Set([fieldManager]);

/** Owned by us, and by nobody whose apply would keep it. */
export function isOursAlone(owners: ReadonlySet<string>, ours: ReadonlySet<string>): boolean {
  if (owners.size === 0) return false;
  for (const owner of owners) if (!ours.has(owner)) return false;
  return true;
}

/** Owned as a whole; a thing with parts goes away part by part, since others may own some of them. */
export function isLeaf({ fields, items, members }: FieldSet): boolean {
  return fields.size === 0 && items.length === 0 && members.length === 0;
}

/**
 * Whether one of the managers owns this very value. Who made a map or a list owns it too ("."), which says nothing of
 * what others put into it.
 */
export function isManagedBy(owned: FieldSet | undefined, managers: ReadonlySet<string>): boolean {
  if (owned === undefined || managers.size === 0) return false;
  return isLeaf(owned) && [...owned.owners].some((owner) => managers.has(owner));
}
