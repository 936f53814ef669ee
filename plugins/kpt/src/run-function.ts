import { copyNode, type MappingNode } from "@capstan/krm-yaml";
import { messageOf } from "@capstan/model";
import type { FunctionContext, FunctionEnd, KrmFunction, ResourceList } from "./function.ts";
import type { FunctionResult, ResultList } from "./function-results.ts";
import {
  annotate,
  annotateQuoted,
  annotationOf,
  clearAnnotation,
  copyItem,
  fileOf,
  firstNotKrm,
  type Item,
  identityOf,
  matchSpellings,
  notes,
  placeAt,
} from "./item.ts";
import type { Progress } from "./progress.ts";
import { restoreComments } from "./restore-comments.ts";
import { AlreadyTold, CannotRun, PackageError } from "./trace-error.ts";
import { cleanPath } from "./validate-kptfile.ts";

/** A function of a pipeline, ready to run. */
export interface Runner {
  /** Resolved reference of an image, or the command line. */
  readonly image: string;
  readonly exec: string;
  readonly run: KrmFunction;
  config: MappingNode | undefined;
}

export interface RunPlace {
  /** Noted on what the function adds; absent: nothing is noted. */
  packagePath: string | undefined;
  progress: Progress;
  results: ResultList;
  context: FunctionContext;
  /** How many items, where selectors chose them. */
  showCount: boolean;
}

/** Runs one function on copies of the items; rejects with AlreadyTold where it failed itself. */
export async function runFunction(runner: Runner, input: readonly Item[], place: RunPlace): Promise<Item[]> {
  const { progress } = place;
  const name = runner.image || runner.exec;
  const count = place.showCount ? input.length : undefined;
  progress.running(name, count);
  const startedAt = place.context.clock.now();
  const result: FunctionResult = {
    image: runner.image,
    exec: runner.exec,
    stderr: "",
    exitCode: 0,
    results: [],
  };
  const tell = (word: "PASS" | "FAIL"): void =>
    progress.ended(word, { name, ms: place.context.clock.now() - startedAt, result });
  try {
    const output = await attempt(runner, input, { place, result });
    tell("PASS");
    return output;
  } catch (error) {
    place.context.signal.throwIfAborted();
    tell("FAIL");
    throw error;
  }
}

async function attempt(
  runner: Runner,
  input: readonly Item[],
  { place, result }: { place: RunPlace; result: FunctionResult },
): Promise<Item[]> {
  const problem = firstNotKrm(input);
  if (problem !== undefined)
    throw new PackageError(`input resource list must contain only KRM resources: ${problem}`);
  const list: ResourceList = {
    items: input.map(withId),
    functionConfig: runner.config && copyNode(runner.config),
    results: [],
  };
  const fail = (noted: FunctionResult): void => {
    place.results.items.push(noted);
    place.results.exitCode = 1;
  };
  const end = await endOf(runner, list, place.context).catch((error: unknown) => {
    // Told is the error alone.
    fail({ ...result, exitCode: 1 });
    throw error;
  });
  for (const item of list.items) settle(item, input);
  const isGood = !end || end.exitCode === 0;
  if (isGood) {
    for (const item of list.items) defaultPath(item);
    checkOutput(list.items, place.packagePath);
  }
  result.results = list.results;
  result.exitCode = end?.exitCode ?? 0;
  result.stderr = end?.stderr ?? "";
  if (!isGood) fail(result);
  else place.results.items.push(result);
  if (isGood) return list.items;
  throw new AlreadyTold();
}

async function endOf(
  { run }: Runner,
  list: ResourceList,
  context: FunctionContext,
): Promise<FunctionEnd | undefined> {
  try {
    return await run(list, context);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof CannotRun) throw error;
    return { exitCode: 1, stderr: messageOf(error) };
  }
}

function withId(item: Item, index: number): Item {
  const copy = copyItem(item);
  annotateQuoted(copy, notes.migrationId, String(index));
  for (const note of [notes.id, notes.legacyId]) annotateQuoted(copy, note, String(index + 1));
  return copy;
}

/** Comments, order and notes of the item that the function was given under the same id. */
function settle(item: Item, given: readonly Item[]): void {
  const id = annotationOf(item, notes.id) || annotationOf(item, notes.legacyId);
  const before = given[Number(id) - 1];
  if (before) {
    restoreComments(before, item);
    reconcile(before, item);
  }
  for (const note of [notes.id, notes.legacyId, notes.migrationId]) clearAnnotation(item, note);
}

/** A function may move an item by either spelling of its path and index; the one that it changed holds. */
function reconcile(before: Item, item: Item): void {
  const pairs = [
    [notes.path, notes.legacyPath],
    [notes.index, notes.legacyIndex],
  ] as const;
  for (const [current, legacy] of pairs) {
    const isCurrentSame = annotationOf(before, current) === annotationOf(item, current);
    const moved = annotationOf(item, legacy);
    if (isCurrentSame && moved !== "" && moved !== annotationOf(before, legacy))
      annotate(item, current, moved);
    else if (!isCurrentSame && annotationOf(item, current) !== "")
      annotate(item, legacy, annotationOf(item, current));
  }
}

/** Where an item goes that has no file: [namespace/]kind_name.yaml (kioutil.CreatePathAnnotationValue). */
function defaultPath(item: Item): void {
  matchSpellings(item);
  if (annotationOf(item, notes.path) !== "") return;
  placeAt(item, defaultPathOf(item));
}

export function defaultPathOf(item: Item): string {
  const { kind, name, namespace } = identityOf(item);
  const file = `${kind.toLowerCase()}_${name}.yaml`;
  return namespace === "" ? file : `${namespace}/${file}`;
}

function checkOutput(items: readonly Item[], packagePath: string | undefined): void {
  const taken = new Set<string>();
  for (const item of items) {
    if (packagePath !== undefined && annotationOf(item, notes.packagePath) === "")
      annotate(item, notes.packagePath, packagePath);
    const { path, index } = fileOf(item);
    const clean = cleanPath(path);
    if (clean.startsWith("../") || clean === "..")
      throw new PackageError(
        `function must not modify resources outside of package: resource has path ${path}`,
      );
    const key = [annotationOf(item, notes.packagePath), clean, index].join("\n");
    if (taken.has(key))
      throw new PackageError(`resource at path "${clean}" and index "${index}" already exists`);
    taken.add(key);
  }
  const problem = firstNotKrm(items);
  if (problem !== undefined)
    throw new PackageError(`output resource list must contain only KRM resources: ${problem}`);
}
