import { canonicalJson, equalJson, isRecord, KeyIndex } from "@capstan/formats";
import type { FieldDiff, KnownTypeField } from "./diff-rules.ts";
import { type FieldSet, isLeaf, isManagedBy, isOursAlone } from "./field-set.ts";
import { type Fields, findItem, keyFields, keyNames, withDefaultKeys } from "./keyed-items.ts";
import { isEmptyValue, saysTheSameAs, writtenAs } from "./known-types.ts";
import { hasSurplus } from "./surplus.ts";

/** What is found while two values are walked side by side. */
export interface Findings {
  readonly modified: FieldDiff[];
  readonly doubts: FieldDiff[];
}

export interface Walk {
  readonly findings: Findings;
  /** Built-in kinds drop empty values and write quantities in canonical form; custom ones keep what they get. */
  readonly isBuiltIn: boolean;
  /** Of a custom kind what is written as a built-in one. */
  readonly knownTypes: readonly KnownTypeField[];
  readonly ours: ReadonlySet<string>;
  /** Managers whose fields do not count. */
  readonly ignored: ReadonlySet<string>;
}

export interface Sides {
  readonly desired: unknown;
  readonly live: unknown;
  readonly owned: FieldSet | undefined;
  readonly path: readonly string[];
}

export function compareValues(walk: Walk, sides: Sides): void {
  const { desired, live, owned } = sides;
  if (isManagedBy(owned, walk.ignored)) return;
  if (isRecord(desired) && isRecord(live)) compareFields(walk, sides, { desired, live });
  else if (Array.isArray(desired) && Array.isArray(live)) compareLists(walk, sides, { desired, live });
  else if (!saysTheSame(walk, sides)) {
    walk.findings.modified.push({ path: formatPath(sides.path), desired, live });
  }
}

function saysTheSame(walk: Walk, { desired, live, path }: Sides): boolean {
  if (equalJson(desired, live)) return true;
  if (desired === null || desired === undefined) return live === null || live === undefined;
  const type = walk.isBuiltIn ? "struct" : writtenAs(walk.knownTypes, path);
  return type !== undefined && saysTheSameAs(type, { desired, live, path });
}

function compareFields(walk: Walk, sides: Sides, { desired, live }: { desired: Fields; live: Fields }): void {
  for (const name of Object.keys(desired)) {
    const value = desired[name];
    // Nothing can be said of it, whoever owns it.
    if (value === live[name] && value !== undefined && value !== null) continue;
    const below: Sides = {
      desired: value,
      live: live[name],
      owned: sides.owned?.fields.get(name),
      path: [...sides.path, name],
    };
    if (wasTakenAway(walk, sides, below)) {
      walk.findings.doubts.push({ path: formatPath(below.path), desired: value, live: undefined });
    } else compareValues(walk, below);
  }
  for (const name of sides.owned === undefined ? [] : Object.keys(live)) {
    if (Object.hasOwn(desired, name) || live[name] === undefined) continue;
    const set = sides.owned?.fields.get(name);
    if (set !== undefined) reportRemoved(walk, { live: live[name], owned: set, path: [...sides.path, name] });
  }
  const isAtomic = sides.owned !== undefined && isLeaf(sides.owned) && sides.owned.owners.size > 0;
  if (isAtomic && hasSurplus(live, desired, sides.path)) reportSurplus(walk, sides);
}

/**
 * An empty value of ours leaves its trace in managedFields even when the server drops the value. Without the trace,
 * somebody removed it, and where false says something else than nothing (automountServiceAccountToken) it matters.
 */
function wasTakenAway({ isBuiltIn }: Walk, around: Sides, { desired, live, owned }: Sides): boolean {
  if (!isBuiltIn || owned !== undefined || around.owned === undefined || isLeaf(around.owned)) return false;
  const isAbsent = live === undefined || live === null;
  return isAbsent && desired !== null && desired !== undefined && isEmptyValue(desired);
}

/** A map that is replaced as a whole. */
function reportSurplus(walk: Walk, { desired, live, path }: Sides): void {
  const last = path.at(-1) ?? "";
  const target = userMaps.has(last) || last === "selector" ? walk.findings.modified : walk.findings.doubts;
  target.push({ path: formatPath(path), desired, live });
}

interface Removed {
  readonly live: unknown;
  readonly owned: FieldSet;
  readonly path: readonly string[];
}

/**
 * A field that we set and no longer want. Applying removes it; whether a default then takes its place only the
 * server knows, but for maps of users' own keys.
 */
function reportRemoved(walk: Walk, { live, owned, path }: Removed): void {
  if (isLeaf(owned)) {
    if (!isOursAlone(owned.owners, walk.ours)) return;
    const target = hasNoDefaults(path) ? walk.findings.modified : walk.findings.doubts;
    target.push({ path: formatPath(path), desired: undefined, live });
  } else if (isRecord(live)) {
    for (const [name, below] of owned.fields) {
      if (live[name] === undefined) continue;
      reportRemoved(walk, { live: live[name], owned: below, path: [...path, name] });
    }
  } else if (Array.isArray(live)) {
    if (owned.members.some(({ owners }) => isOursAlone(owners, walk.ours))) {
      walk.findings.modified.push({ path: formatPath(path), desired: undefined, live });
    }
    for (const item of live) {
      const keyed = findItem(owned, item);
      if (keyed !== undefined)
        reportRemoved(walk, { live: item, owned: keyed.set, path: itemPath(path, keyed.key) });
    }
  }
}

const userMaps = new Set(["labels", "annotations", "data", "binaryData", "matchLabels", "nodeSelector"]);

function hasNoDefaults(path: readonly string[]): boolean {
  const parent = path.at(-2);
  return parent !== undefined && userMaps.has(parent);
}

type Lists = { readonly desired: readonly unknown[]; readonly live: readonly unknown[] };

function compareLists(walk: Walk, sides: Sides, lists: Lists): void {
  const { owned } = sides;
  // Nothing is missing, added or taken away in lists that are equal, whoever owns what of them.
  if (equalJson(lists.desired, lists.live)) return;
  if (owned !== undefined && owned.items.length > 0 && lists.desired.every(isRecord)) {
    compareKeyed(walk, { ...sides, owned }, lists);
  } else if (owned !== undefined && owned.members.length > 0) {
    compareMembers(walk, { ...sides, owned }, lists);
  } else compareAtomic(walk, sides, lists);
}

type OwnedSides = Sides & { readonly owned: FieldSet };

function compareKeyed(walk: Walk, sides: OwnedSides, { desired, live }: Lists): void {
  const names = keyNames(sides.owned);
  const index = new KeyIndex(live, (item: unknown) => item);
  const wanted = new Set<unknown>();
  for (const item of desired) {
    if (!isRecord(item)) continue;
    const named = withDefaultKeys(names, item);
    const [match, ...more] = index.matching(names, named);
    const key = keyFields(names, isRecord(match) ? match : named);
    const path = itemPath(sides.path, key);
    if (match === undefined) {
      walk.findings.modified.push({ path: formatPath(path), desired: item, live: undefined });
    } else if (more.length > 0 || wanted.has(match)) {
      walk.findings.doubts.push({ path: formatPath(path), desired: item, live: match });
    } else {
      const owned = findItem(sides.owned, match)?.set;
      compareValues(walk, { desired: { ...key, ...item }, live: match, owned, path });
    }
    wanted.add(match);
    for (const other of more) wanted.add(other);
  }
  for (const item of live) {
    const keyed = wanted.has(item) ? undefined : findItem(sides.owned, item);
    if (keyed === undefined) continue;
    const path = itemPath(sides.path, keyed.key);
    if (isOursAlone(keyed.set.owners, walk.ours)) {
      walk.findings.modified.push({ path: formatPath(path), desired: undefined, live: item });
    } else reportRemoved(walk, { live: item, owned: keyed.set, path });
  }
}

function compareMembers(walk: Walk, { owned, path }: OwnedSides, { desired, live }: Lists): void {
  const [wanted, present] = [desired, live].map((values) => new Set(values.map(canonicalJson)));
  const missing = desired.filter((value) => !present?.has(canonicalJson(value)));
  const surplus = owned.members.filter(
    ({ value, owners }) => isOursAlone(owners, walk.ours) && !wanted?.has(canonicalJson(value)),
  );
  if (missing.length > 0 || surplus.length > 0) {
    walk.findings.modified.push({ path: formatPath(path), desired, live });
  }
}

/** A list that is replaced as a whole. Fields that the live items have more are defaults or leftovers. */
function compareAtomic(walk: Walk, { path }: Sides, { desired, live }: Lists): void {
  if (desired.length !== live.length) {
    // An empty list may get a default, as the metrics of an autoscaler do.
    const target = desired.length === 0 && walk.isBuiltIn ? walk.findings.doubts : walk.findings.modified;
    target.push({ path: formatPath(path), desired, live });
    return;
  }
  for (const [index, item] of desired.entries()) {
    const at = [...path, `[${index}]`];
    const found = live[index];
    compareValues(walk, { desired: item, live: found, owned: undefined, path: at });
    if (hasSurplus(found, item, at)) {
      walk.findings.doubts.push({ path: formatPath(at), desired: item, live: found });
    }
  }
}

function itemPath(path: readonly string[], key: Fields): string[] {
  const text = Object.entries(key)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(",");
  return [...path, `[${text}]`];
}

/** spec.containers[name=web].image, metadata.annotations["example.com/a"] */
export function formatPath(path: readonly string[]): string {
  let text = "";
  for (const part of path) {
    if (part.startsWith("[")) text += part;
    else if (!/^[\w-]+$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}
