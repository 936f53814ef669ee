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

interface Building {
  owners: Set<string>;
  fields: Map<string, Building>;
  items: { key: { [name: string]: unknown }; set: Building }[];
  members: { value: unknown; owners: Set<string> }[];
  /** By the text of their path element. */
  itemOf: Map<string, Building["items"][number]>;
  memberOf: Map<string, Building["members"][number]>;
}

const empty = (): Building => ({
  owners: new Set(),
  fields: new Map(),
  items: [],
  members: [],
  itemOf: new Map(),
  memberOf: new Map(),
});

/** Ownership by everyone, or nothing when the object does not tell. Entries of subresources do not count. */
export function readFieldSet(
  live: Manifest,
  ownerOf: (entry: ManagedFieldsEntry) => string | undefined = ({ manager }) => manager,
): FieldSet | undefined {
  const entries = live.metadata.managedFields;
  if (entries === undefined || entries.length === 0) return undefined;
  const root = empty();
  for (const entry of entries) {
    const { fieldsV1, subresource } = entry;
    const owner = ownerOf(entry);
    if (owner === undefined || fieldsV1 === undefined || (subresource ?? "") !== "") continue;
    addFields(root, fieldsV1, owner);
  }
  return root;
}

function addFields(set: Building, fields: { [name: string]: unknown }, manager: string): void {
  const children = Object.entries(fields);
  if (children.length === 0) set.owners.add(manager);
  for (const [name, below] of children) {
    if (name === ".") set.owners.add(manager);
    else addChild(set, { name, below: isRecord(below) ? below : {} }, manager);
  }
}

function addChild(
  set: Building,
  { name, below }: { name: string; below: { [name: string]: unknown } },
  manager: string,
): void {
  const text = name.slice(2);
  if (name.startsWith("f:")) {
    const child = set.fields.get(text) ?? empty();
    set.fields.set(text, child);
    addFields(child, below, manager);
  } else if (name.startsWith("k:")) {
    const key: unknown = JSON.parse(text);
    if (isRecord(key)) addFields(itemOf(set, text, key).set, below, manager);
  } else if (name.startsWith("v:")) {
    const known = set.memberOf.get(text);
    known?.owners.add(manager);
    if (known !== undefined) return;
    const member = { value: JSON.parse(text), owners: new Set([manager]) };
    set.memberOf.set(text, member);
    set.members.push(member);
  }
}

function itemOf(set: Building, text: string, key: { [name: string]: unknown }): Building["items"][number] {
  const known = set.itemOf.get(text);
  if (known !== undefined) return known;
  const item = { key, set: empty() };
  set.itemOf.set(text, item);
  set.items.push(item);
  return item;
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
  return owned !== undefined && isLeaf(owned) && [...owned.owners].some((owner) => managers.has(owner));
}
