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

interface Item {
  key: { [name: string]: unknown };
  set: Building;
}

interface Member {
  value: unknown;
  owners: ReadonlySet<string>;
}

interface Building {
  owners: ReadonlySet<string>;
  fields: Map<string, Building>;
  items: Item[];
  members: Member[];
  /** By the text of their path element. */
  itemOf: Map<string, Item>;
  memberOf: Map<string, Member>;
}

/** Most things are leaves: what they lack is one thing for all, replaced when the first of its kind comes. */
const none: Readonly<Building> = {
  owners: new Set(),
  fields: new Map(),
  items: [],
  members: [],
  itemOf: new Map(),
  memberOf: new Map(),
};

/** Ownership by everyone, or nothing when the object does not tell. Entries of subresources do not count. */
export function readFieldSet(
  live: Manifest,
  ownerOf: (entry: ManagedFieldsEntry) => string | undefined = ({ manager }) => manager,
): FieldSet | undefined {
  const entries = live.metadata.managedFields;
  if (entries === undefined || entries.length === 0) return undefined;
  const root = { ...none };
  const join = joinOwners();
  for (const entry of entries) {
    const { fieldsV1, subresource } = entry;
    const owner = ownerOf(entry);
    if (owner === undefined || fieldsV1 === undefined || (subresource ?? "") !== "") continue;
    addFields(root, fieldsV1, (owners) => join(owners, owner));
  }
  return root;
}

type Join = (owners: ReadonlySet<string>) => ReadonlySet<string>;

/** Owners and one more: the same set each time, since nearly all things have the same owners. */
function joinOwners(): (owners: ReadonlySet<string>, owner: string) => ReadonlySet<string> {
  const joined = new Map<ReadonlySet<string>, Map<string, ReadonlySet<string>>>();
  return (owners, owner) => {
    if (owners.has(owner)) return owners;
    const ofThese = joined.get(owners) ?? new Map<string, ReadonlySet<string>>();
    joined.set(owners, ofThese);
    const both = ofThese.get(owner) ?? new Set([...owners, owner]);
    ofThese.set(owner, both);
    return both;
  };
}

function addFields(set: Building, fields: { [name: string]: unknown }, join: Join): void {
  const names = Object.keys(fields);
  if (names.length === 0) set.owners = join(set.owners);
  for (const name of names) {
    const below = fields[name];
    if (name === ".") set.owners = join(set.owners);
    else addChild(set, { name, below: isRecord(below) ? below : {} }, join);
  }
}

function addChild(
  set: Building,
  { name, below }: { name: string; below: { [name: string]: unknown } },
  join: Join,
): void {
  const text = name.slice(2);
  if (name.startsWith("f:")) addFields(fieldOf(set, text), below, join);
  else if (name.startsWith("k:")) {
    const item = itemOf(set, text);
    if (item) addFields(item.set, below, join);
  } else if (name.startsWith("v:")) {
    const member = memberOf(set, text);
    member.owners = join(member.owners);
  }
}

function fieldOf(set: Building, name: string): Building {
  const known = set.fields.get(name);
  if (known) return known;
  if (set.fields === none.fields) set.fields = new Map();
  const field = { ...none };
  set.fields.set(name, field);
  return field;
}

/** Undefined for a key that is none. */
function itemOf(set: Building, text: string): Item | undefined {
  const known = set.itemOf.get(text);
  if (known) return known;
  const key: unknown = JSON.parse(text);
  if (!isRecord(key)) return undefined;
  if (set.items === none.items) [set.items, set.itemOf] = [[], new Map()];
  const item = { key, set: { ...none } };
  set.itemOf.set(text, item);
  set.items.push(item);
  return item;
}

function memberOf(set: Building, text: string): Member {
  const known = set.memberOf.get(text);
  if (known) return known;
  if (set.members === none.members) [set.members, set.memberOf] = [[], new Map()];
  const member = { value: JSON.parse(text), owners: none.owners };
  set.memberOf.set(text, member);
  set.members.push(member);
  return member;
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
