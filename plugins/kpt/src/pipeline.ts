import { byCodePoint, copyNode, type MappingNode, mapping, readYaml, text } from "@capstan/krm-yaml";
import { annotationOf, copyItem, fileOf, type Item, notes } from "./item.ts";
import type { FunctionSpec } from "./kptfile.ts";
import { type PackageNode, packagePathOf, type RenderRecord } from "./package-node.ts";
import { join, resourceFiles } from "./package-tree.ts";
import type { Step } from "./render-status.ts";
import { functionName } from "./resolve-function.ts";
import { type Runner, runFunction } from "./run-function.ts";
import { mergeSelected, numberItems, selectItems, unnumberItems } from "./select-items.ts";
import { PackageError, TraceError } from "./trace-error.ts";
import { cleanPath, invalidKptfile } from "./validate-kptfile.ts";

/** The functions of one package on all that it holds (kptops runPipeline). */
export class Pipeline {
  readonly #node: PackageNode;
  readonly #shared: RenderRecord;

  constructor(node: PackageNode, shared: RenderRecord) {
    this.#node = node;
    this.#shared = shared;
  }

  async run(): Promise<void> {
    this.#checkConfigs();
    try {
      await this.#mutate();
      await this.#validate();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new TraceError({ operation: "pipeline.run", pkg: this.#node.path }, error);
    }
  }

  /** A configuration has to be one of the package's own resources. */
  #checkConfigs(): void {
    const { kptfile, path } = this.#node;
    const own = new Set(resourceFiles(this.#shared.files, path));
    const problems: PackageError[] = [];
    const check = (
      kind: "mutator" | "validator",
      { configPath, name, image }: FunctionSpec,
      at: number,
    ): void => {
      if (configPath === "" || own.has(join(path, cleanPath(configPath)))) return;
      const [shown, value] = [JSON.stringify(name || functionName(image)), JSON.stringify(configPath)];
      const reason = `functionConfig resource for ${kind} ${shown} is missing from path ${value}, this also occurs if ${value} is part of a subpackage`;
      const field = `pipeline.${kind}s[${at}].configPath`;
      problems.push(invalidKptfile({ field, value: configPath, reason }));
    };
    for (const [at, spec] of kptfile.mutators.entries()) check("mutator", spec, at);
    for (const [at, spec] of kptfile.validators.entries()) check("validator", spec, at);
    const [first] = problems;
    // A person is told the first, the Kptfile all (validation.go errors.Join).
    if (first) throw new PackageError(first.message, problems.map(({ message }) => message).join("\n"));
  }

  async #mutate(): Promise<void> {
    const { mutators } = this.#node.kptfile;
    // All are resolved before the first runs, so that a missing one is told before any work.
    const runners: Runner[] = [];
    for (const spec of mutators) runners.push(await this.#resolve(spec, this.#shared.mutationSteps));
    for (const [at, spec] of mutators.entries()) {
      const runner = runners[at];
      if (runner) this.#node.items = await this.#mutateWith(runner, spec);
    }
  }

  async #mutateWith(runner: Runner, spec: FunctionSpec): Promise<Item[]> {
    const { items } = this.#node;
    const isPartial = spec.selectors.length > 0 || spec.exclude.length > 0;
    if (isPartial) numberItems(items);
    try {
      this.#refreshConfig(runner, spec);
      const selected = selectItems(items, spec.selectors, spec.exclude);
      const output = await this.#tracked(runner, {
        spec,
        input: selected,
        steps: this.#shared.mutationSteps,
      });
      const merged = isPartial ? mergeSelected(items, selected, output) : output;
      if (isPartial) unnumberItems(merged);
      return merged;
    } finally {
      if (isPartial) unnumberItems(items);
    }
  }

  async #validate(): Promise<void> {
    const steps = this.#shared.validationSteps;
    for (const spec of this.#node.kptfile.validators) {
      const runner = await this.#resolve(spec, steps);
      this.#refreshConfig(runner, spec);
      const input = selectItems(this.#node.items, spec.selectors, spec.exclude).map(copyItem);
      await this.#tracked(runner, { spec, input, steps });
    }
  }

  async #resolve(spec: FunctionSpec, steps: Step[]): Promise<Runner> {
    try {
      const { image, exec, run } = await this.#shared.options.resolve(spec);
      return { image, exec, run, config: this.#configOf(spec) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      steps.push({ ...stepOf(spec, spec), executionError: message, exitCode: 1 });
      throw error;
    }
  }

  #configOf({ configPath, configMap }: FunctionSpec): MappingNode | undefined {
    if (configPath !== "") {
      const file = join(this.#node.path, cleanPath(configPath));
      const [document] = readYaml(file, this.#shared.files.get(file) ?? "");
      return document?.root.kind === "mapping" ? document.root : undefined;
    }
    return configMap.size > 0 ? configMapOf(configMap) : undefined;
  }

  /** An earlier function may have changed the configuration of a later one. */
  #refreshConfig(runner: Runner, { configPath }: FunctionSpec): void {
    if (configPath === "") return;
    const own = packagePathOf(this.#node);
    const current = this.#node.items.find(
      (item) => annotationOf(item, notes.packagePath) === own && fileOf(item).path === configPath,
    );
    if (current) runner.config = copyNode(current.root);
  }

  async #tracked(
    runner: Runner,
    { spec, input, steps }: { spec: FunctionSpec; input: readonly Item[]; steps: Step[] },
  ): Promise<Item[]> {
    const { results, options } = this.#shared;
    const before = results.items.length;
    const place = {
      packagePath: packagePathOf(this.#node),
      progress: options.progress,
      results,
      context: options.context,
      showCount: spec.selectors.length > 0 || spec.exclude.length > 0,
    };
    try {
      const output = await runFunction(runner, input, place);
      this.#shared.executed++;
      steps.push({ ...stepOf(spec, runner), ...told(results.items[before]) });
      return output;
    } catch (error) {
      options.context.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      const step = stepOf(spec, runner);
      const result = results.items[before];
      steps.push(result ? { ...step, ...told(result) } : { ...step, executionError: message, exitCode: 1 });
      throw error;
    }
  }
}

function stepOf({ name }: FunctionSpec, { image, exec }: { image: string; exec: string }): Step {
  return { name, image, exec, executionError: "", stderr: "", exitCode: 0, results: [] };
}

function told(
  result: { stderr: string; exitCode: number; results: Step["results"] } | undefined,
): Partial<Step> {
  return result ? { stderr: result.stderr, exitCode: result.exitCode, results: result.results } : {};
}

/** What a `configMap` becomes for the function (fnruntime.NewConfigMap). */
export function configMapOf(data: ReadonlyMap<string, string>): MappingNode {
  const keys = [...data.keys()].sort(byCodePoint);
  return mapping([
    { key: text("apiVersion"), value: text("v1") },
    { key: text("kind"), value: text("ConfigMap") },
    { key: text("metadata"), value: mapping([{ key: text("name"), value: text("function-input") }]) },
    {
      key: text("data"),
      value: mapping(keys.map((key) => ({ key: text(key), value: text(data.get(key) ?? "") }))),
    },
  ]);
}
