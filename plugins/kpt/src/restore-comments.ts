import {
  type Entry,
  entryOf,
  type MappingNode,
  type SequenceNode,
  textAt,
  type YamlNode,
} from "@capstan/krm-yaml";
import type { Item } from "./item.ts";

/**
 * Gives the output of a function the comments and the order of keys of its input, because functions written with other
 * libraries lose them (kyaml runtimeutil copyCommentsAndSyncOrder, comments.CopyComments, order.SyncOrder).
 */
export function restoreComments(before: Item, after: Item): void {
  copyInto(before.root, after.root);
  // What stood above the document stands above its object from now on.
  if (after.head !== "") after.root.head ||= after.head;
  if (after.foot !== "") after.root.foot ||= after.foot;
  if (before.head !== "") after.root.head ||= before.head;
  if (before.foot !== "") after.root.foot ||= before.foot;
  after.head = "";
  after.foot = "";
  syncOrder(before.root, after.root);
}

function copyInto(before: YamlNode, after: YamlNode): void {
  copyComments(before, after);
  if (after.kind === "scalar" && after.style === "folded") after.style = "double";
  if (before.kind === "mapping" && after.kind === "mapping") copyEntries(before, after);
  if (before.kind === "sequence" && after.kind === "sequence") copyItems(before, after);
}

function copyEntries(before: MappingNode, after: MappingNode): void {
  for (const { key, value } of after.entries) {
    const old = entryOf(before, key.value);
    if (!old) continue;
    copyComments(old.key, key);
    copyInto(old.value, value);
  }
}

/** Items with a name belong to those of the same name, others to those in the same place. */
function copyItems(before: SequenceNode, after: SequenceNode): void {
  const names = before.items.map((item) => textAt(item, "name"));
  const isNamed = names.length > 0 && names.every((name) => name !== "");
  after.items.forEach((item, index) => {
    const old = before.items[isNamed ? names.indexOf(textAt(item, "name")) : index];
    if (!old) return;
    const isSameScalar = old.kind !== "scalar" || (item.kind === "scalar" && item.value === old.value);
    if (isSameScalar) copyInto(old, item);
  });
}

function copyComments(before: YamlNode, after: YamlNode): void {
  after.line ||= before.line;
  after.head ||= before.head;
  after.foot ||= before.foot;
}

function syncOrder(before: YamlNode, after: YamlNode): void {
  if (before.kind === "mapping" && after.kind === "mapping") {
    if (!isInOrder(before, after)) sortLike(before, after);
    after.entries.forEach((entry, at) => {
      const same = before.entries[at];
      const old = same?.key.value === entry.key.value ? same : entryOf(before, entry.key.value);
      if (old) syncOrder(old.value, entry.value);
    });
  }
  if (before.kind === "sequence" && after.kind === "sequence")
    after.items.forEach((item, index) => {
      const old = before.items[index];
      if (old) syncOrder(old, item);
    });
}

function isInOrder(before: MappingNode, after: MappingNode): boolean {
  return after.entries.every(
    ({ key }, at) => at >= before.entries.length || key.value === before.entries[at]?.key.value,
  );
}

/** Keys that were there before in their former order, new ones behind them. */
function sortLike(before: MappingNode, after: MappingNode): void {
  const places = new Map(before.entries.map((entry, index) => [entry.key.value, index]));
  const placeOf = (entry: Entry): number => places.get(entry.key.value) ?? Number.POSITIVE_INFINITY;
  const known = after.entries.filter((entry) => places.has(entry.key.value));
  const fresh = after.entries.filter((entry) => !places.has(entry.key.value));
  after.entries = [...known.sort((one, other) => placeOf(one) - placeOf(other)), ...fresh];
}
