import { stringifyJson } from "@capstan/formats";
import { fieldAt, printAll, toJson, toValue } from "@capstan/krm-yaml";
import {
  annotate,
  clearAnnotation,
  clearEmptyAnnotations,
  copyItem,
  fileOf,
  type Item,
  identityOf,
  matchSpellings,
  notes,
  placeAt,
  seqIndentNoted,
} from "./item.ts";
import { bareSequenceKey } from "./read-resources.ts";
import { defaultPathOf } from "./run-function.ts";
import { PackageError } from "./trace-error.ts";

export interface RenderedFiles {
  written: ReadonlyMap<string, string>;
  removed: readonly string[];
}

/** The text of each file that the items belong to (kio LocalPackageWriter). */
export function writeResources(items: readonly Item[]): Map<string, string> {
  defaultPlaces(items);
  const byFile = new Map<string, Item[]>();
  for (const item of items) {
    const { path } = fileOf(item);
    if (path.startsWith("/") || path.split("/").includes(".."))
      throw new PackageError(`resource must be written under the package: ${path}`);
    byFile.set(path, [...(byFile.get(path) ?? []), item]);
  }
  return new Map([...byFile].map(([path, own]) => [path, printFile(path, own.sort(byIndex))]));
}

function byIndex(one: Item, other: Item): number {
  const [left, right] = [fileOf(one).index, fileOf(other).index];
  if (left === right) return 0;
  if (left === "" || right === "") return left === "" ? -1 : 1;
  for (const index of [left, right])
    if (!/^[-+]?\d+$/.test(index))
      throw new PackageError(
        `unable to parse ${notes.index} ${index} of ${identityOf(one).name}: it must be a number`,
      );
  return Number(left) - Number(right);
}

/** Path and place in the file of items that have none (kioutil.DefaultPathAndIndexAnnotation). */
function defaultPlaces(items: readonly Item[]): void {
  const counts = new Map<string, number>();
  for (const item of items) {
    matchSpellings(item);
    const { path, index } = fileOf(item);
    if (path === "") placeAt(item, defaultPathOf(item));
    else counts.set(path, Math.max(counts.get(path) ?? 0, Number(index) || 0));
  }
  for (const item of items) {
    const { path, index } = fileOf(item);
    if (index !== "") continue;
    const next = counts.get(path) ?? 0;
    counts.set(path, next + 1);
    annotate(item, notes.index, String(next));
    annotate(item, notes.legacyIndex, String(next));
  }
}

function printFile(path: string, items: readonly Item[]): string {
  const [first] = items;
  if (path.endsWith(".json") && items.length === 1 && first) return printJson(first);
  return printAll(items.map((item) => ({ ...cleaned(item), seqIndent: seqIndentNoted(item) })));
}

function cleaned(item: Item) {
  const copy = copyItem(item);
  clearNotes(copy);
  const bare = fieldAt(copy.root, bareSequenceKey);
  return { ...copy, root: bare?.kind === "sequence" && bare.items.length > 0 ? bare : copy.root };
}

/** Without what was noted on reading. */
export function clearNotes(item: Item): void {
  const own = [notes.path, notes.index, notes.seqIndent, notes.legacyPath, notes.legacyIndex];
  for (const note of own) clearAnnotation(item, note);
  clearEmptyAnnotations(item);
}

function printJson(item: Item): string {
  const value = toJson(toValue(cleaned(item).root));
  return `${stringifyJson(sorted(value), 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

/** One stream of documents, without what was noted on reading. */
export function printUnwrapped(items: readonly Item[]): string {
  return printAll(items.map((item) => ({ ...cleaned(item), seqIndent: seqIndentNoted(item) })));
}
