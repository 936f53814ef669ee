import { attribute } from "./attribute.ts";
import type { ResultList } from "./function-results.ts";
import { Hydration, hydrateBreadthFirst, hydrateDepthFirst } from "./hydrate.ts";
import { annotationOf, clearAnnotation, fileOf, type Item, notes, placeAt } from "./item.ts";
import { readKptfile } from "./kptfile.ts";
import type { HydrationOptions } from "./package-node.ts";
import { join, type PackageFiles } from "./package-tree.ts";
import type { KptfileObject } from "./read-kptfile.ts";
import { withRenderStatus } from "./render-status.ts";
import { PackageError } from "./trace-error.ts";
import { cleanPath } from "./validate-kptfile.ts";
import { type RenderedFiles, writeResources } from "./write-resources.ts";

export interface RenderOptions extends HydrationOptions {
  /** in-place: also the outcome is noted in the root Kptfile; items: only the resources are wanted. */
  readonly mode: "in-place" | "items";
}

export interface RenderedPackage {
  /** Resources with the file that each belongs to, in order. */
  items: readonly Item[];
  /** Of an in-place render: what to write and what to remove. */
  files: RenderedFiles;
  results: ResultList;
  error: Error | undefined;
}

/** Runs the pipelines of a package and its subpackages (kpt pkg/lib/kptops Renderer.Execute). Rejects only where nothing could start. */
export async function renderPackage(files: PackageFiles, options: RenderOptions): Promise<RenderedPackage> {
  const hydration = new Hydration(files, options);
  const root = hydration.open("", undefined);
  const isOn = (name: string): boolean => root.kptfile.annotations.get(name)?.toLowerCase() === "true";
  const savesOnFailure = isOn("kpt.dev/save-on-render-failure");
  const hydrate = isOn("kpt.dev/bfs-rendering") ? hydrateBreadthFirst : hydrateDepthFirst;
  let error: Error | undefined;
  try {
    await hydrate(root, hydration);
  } catch (thrown) {
    options.context.signal.throwIfAborted();
    if (!(thrown instanceof Error)) throw thrown;
    error = thrown;
  }
  const { results, progress } = { results: hydration.results, progress: options.progress };
  const done = (items: readonly Item[], written: RenderedFiles): RenderedPackage => ({
    items,
    files: written,
    results,
    error,
  });
  if (error && !savesOnFailure)
    return done([], noteStatus({ written: new Map(), removed: [] }, hydration, { error, files, options }));
  for (const item of root.items) placeFromRoot(item);
  attribute(root.items, options.context.env);
  if (options.mode === "items") return done(error ? [] : root.items, { written: new Map(), removed: [] });
  const written = writeResources(root.items);
  const removed = error ? [] : hydration.inputFiles().filter((path) => !written.has(path));
  progress.say(summary(hydration, error));
  return done(root.items, noteStatus({ written, removed }, hydration, { error, files, options }));
}

/** From the path in its package to the path from the root. */
function placeFromRoot(item: Item): void {
  const pkg = annotationOf(item, notes.packagePath).replace(/^\//, "");
  const relative = cleanPath(fileOf(item).path).replace(/^\//, "");
  placeAt(item, join(pkg, relative));
  clearAnnotation(item, notes.packagePath);
}

function summary({ executed, packages }: Hydration, error: Error | undefined): string {
  const where = `function(s) in ${packages} package(s).`;
  if (!error) return `Successfully executed ${executed} ${where}`;
  return executed === 0
    ? `Failed to execute any functions in ${packages} package(s).`
    : `Partially executed ${executed} ${where}`;
}

function noteStatus(
  { written, removed }: RenderedFiles,
  { mutationSteps, validationSteps }: Hydration,
  { error, files, options }: { error: Error | undefined; files: PackageFiles; options: RenderOptions },
): RenderedFiles {
  if (options.mode === "items") return { written, removed };
  const source = written.get("Kptfile") ?? (removed.includes("Kptfile") ? undefined : files.get("Kptfile"));
  if (source === undefined) return { written, removed };
  const content = contentOf(source, options.shownRoot);
  if (!content) return { written, removed };
  const noted = withRenderStatus(content, {
    mutationSteps,
    validationSteps,
    error,
    shownRoot: options.shownRoot,
    workingFolder: options.workingFolder,
  });
  return { written: new Map([...written, ["Kptfile", noted]]), removed };
}

/** Nothing where functions have left a Kptfile that cannot be read: it then gets no status (kptops setRenderStatus). */
function contentOf(source: string, shownRoot: string): KptfileObject | undefined {
  try {
    return readKptfile(source, shownRoot).content;
  } catch (error) {
    if (error instanceof PackageError) return undefined;
    throw error;
  }
}
