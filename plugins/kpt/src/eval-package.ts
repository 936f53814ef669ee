import type { MappingNode } from "@capstan/krm-yaml";
import type { FunctionContext } from "./function.ts";
import { readFunctionConfig } from "./function-config-file.ts";
import type { ResultList } from "./function-results.ts";
import { fileOf, filesOf, type Item } from "./item.ts";
import type { Selector } from "./kptfile.ts";
import type { PackageFiles } from "./package-tree.ts";
import { configMapOf } from "./pipeline.ts";
import type { Progress } from "./progress.ts";
import { readResources } from "./read-resources.ts";
import type { ResolveFunction } from "./resolve-function.ts";
import { runFunction } from "./run-function.ts";
import { mergeSelected, numberItems, selectItems, unnumberItems } from "./select-items.ts";
import { type RenderedFiles, writeResources } from "./write-resources.ts";

export interface EvalOptions {
  readonly spec: { image: string; exec: string; tag: string };
  /** A configuration's text, or what stands in the data of a ConfigMap. `file`: where it lies if in the package; `shown`: how errors name it. */
  readonly config:
    | { source: string; shown: string; file: string }
    | { data: ReadonlyMap<string, string>; kind?: string };
  readonly selectors: readonly Selector[];
  readonly exclude: readonly Selector[];
  readonly resolve: ResolveFunction;
  readonly context: FunctionContext;
  readonly progress: Progress;
  readonly mode: "in-place" | "items";
}

export interface EvaluatedPackage {
  items: readonly Item[];
  files: RenderedFiles;
  results: ResultList;
  error: Error | undefined;
}

/** Runs one function on a whole tree of packages (kpt fn eval). */
export async function evalPackage(files: PackageFiles, options: EvalOptions): Promise<EvaluatedPackage> {
  const { config } = options;
  // A configuration in the package is no input of its own function, and stays as it is.
  const inPackage = "file" in config ? config.file : undefined;
  const all = readResources(files, "", { withSubpackages: true });
  const own = all.filter((item) => fileOf(item).path === inPackage);
  const items = all.filter((item) => !own.includes(item));
  const done = await evalItems(items, [...filesOf(items)], options);
  return { ...done, items: [...done.items, ...own] };
}

/** The same on items that come from elsewhere; `inputFiles` are theirs. */
export async function evalItems(
  items: Item[],
  inputFiles: readonly string[],
  options: EvalOptions,
): Promise<EvaluatedPackage> {
  const { spec, resolve, context, progress, mode } = options;
  const results: ResultList = { exitCode: 0, items: [] };
  const nothing = { written: new Map<string, string>(), removed: [] };
  const none = { name: "", configPath: "", configMap: new Map<string, string>(), selectors: [], exclude: [] };
  const { image: resolved, exec, run } = await resolve({ ...spec, ...none });
  const image = hasTag(spec) ? resolved : resolved.replace(/:latest$/, "");
  const isPartial = options.selectors.length > 0 || options.exclude.length > 0;
  if (isPartial) numberItems(items);
  try {
    const selected = selectItems(items, options.selectors, options.exclude);
    const place = { packagePath: undefined, progress, results, context, showCount: isPartial };
    const output = await runFunction(
      { image, exec, run, config: readConfig(options.config) },
      selected,
      place,
    );
    const merged = isPartial ? mergeSelected(items, selected, output) : output;
    unnumberItems(merged);
    if (mode === "items") return { items: merged, files: nothing, results, error: undefined };
    const written = writeResources(merged);
    const removed = inputFiles.filter((path) => !written.has(path));
    return { items: merged, files: { written, removed }, results, error: undefined };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return { items: [], files: nothing, results, error };
  }
}

/** What eval is asked for without a tag is told without one. */
function hasTag({ image, tag }: EvalOptions["spec"]): boolean {
  return tag !== "" || /@|:[^/]*$/.test(image);
}

function readConfig(config: EvalOptions["config"]): MappingNode | undefined {
  if ("data" in config) {
    const node = configMapOf(config.data);
    if (config.kind === undefined) return node;
    const kind = node.entries.find(({ key }) => key.value === "kind");
    if (kind?.value.kind === "scalar") kind.value.value = config.kind;
    return node;
  }
  return readFunctionConfig(config.shown, config.source);
}
