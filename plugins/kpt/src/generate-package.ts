import { toJson, toValue } from "@capstan/krm-yaml";
import { CapstanError, isManifest } from "@capstan/model";
import type { Generated, GeneratedManifest, RenderContext, Stage, WithImage } from "@capstan/plugin-kit";
import { stageCharts } from "./chart-tools.ts";
import { type EvalOptions, evalItems, evalPackage } from "./eval-package.ts";
import type { FunctionContext, KrmFunction } from "./function.ts";
import { describeResult, type ResultList } from "./function-results.ts";
import { applySetters } from "./functions/apply-setters.ts";
import { type Catalog, withSchemas } from "./functions/catalog.ts";
import type { ReadDefinitions } from "./functions/kubeconform.ts";
import { annotationOf, copyItem, fileOf, type Item, identityOf, localConfig } from "./item.ts";
import { type KptOptions, readKptOptions } from "./kpt-options.ts";
import { join } from "./package-tree.ts";
import { configMapOf } from "./pipeline.ts";
import { stagePolicies } from "./policy-tools.ts";
import { Progress } from "./progress.ts";
import { readTree } from "./read-tree.ts";
import { renderPackage } from "./render-package.ts";
import { defaultImagePrefix, functionResolver, type ResolveFunction } from "./resolve-function.ts";
import { stagePrograms } from "./stage-programs.ts";
import { AlreadyTold, causeOf, PackageError } from "./trace-error.ts";
import { clearNotes } from "./write-resources.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface KptPluginOptions {
  /** Schemas of Kubernetes' own kinds, for kubeconform and kubeval; without them they do not run. */
  readDefinitions?: ReadDefinitions;
  /** Brings images of functions; without it none runs. */
  withImage?: WithImage;
}

interface Operator {
  env: Env;
  functions: Catalog;
  withImage: WithImage | undefined;
}

/** What the plugin generates with; `env` as in kpt.ts. */
export function packageGenerator(
  env: Env,
  { readDefinitions, withImage }: KptPluginOptions,
): (context: RenderContext, stage: Stage) => Promise<Generated> {
  const operator = { env, functions: withSchemas(readDefinitions), withImage };
  return (context, stage) => generate(context, stage, operator);
}

async function generate(context: RenderContext, stage: Stage, operator: Operator): Promise<Generated> {
  const { env } = operator;
  const options = readKptOptions(context, env);
  const files = await readTree(context);
  const told: string[] = [];
  const base = {
    resolve: resolver(options, stage, operator),
    context: {
      ...functionContext(context, stage, env),
      withCharts: stageCharts(context, stage),
      runPolicies: stagePolicies(stage),
    },
    progress: new Progress((line) => told.push(line)),
    mode: "items" as const,
  };
  try {
    const prepared = options.setters.size > 0 ? await withSetters(files, options.setters, base) : files;
    const names = context.path.split("/").at(-1) || "package";
    const rendered = await renderPackage(prepared, {
      ...base,
      rootName: names,
      shownRoot: context.path || ".",
    });
    checkEnd(rendered, context);
    const items = await finish([...rendered.items], options, base);
    stage.log.debug({ functions: rendered.results.items.length }, "kpt package rendered");
    const manifests = items.filter((item) => !isKustomization(item)).map((item) => toManifest(item, context));
    return { manifests, commands: ["kpt fn render -o unwrap"] };
  } catch (error) {
    stage.signal.throwIfAborted();
    if (!(error instanceof PackageError)) throw error;
    throw failure(error.message, context);
  }
}

type Base = Pick<EvalOptions, "resolve" | "context" | "progress"> & { mode: "items" };

/** Also where the package has no apply-setters of its own. */
async function withSetters(
  files: ReadonlyMap<string, string>,
  setters: ReadonlyMap<string, string>,
  base: Base,
): Promise<ReadonlyMap<string, string>> {
  const spec = { image: "apply-setters", exec: "", tag: "" };
  const call = {
    ...base,
    mode: "in-place" as const,
    spec,
    config: { data: setters },
    selectors: [],
    exclude: [],
  };
  const { files: changed, error } = await evalPackage(files, call);
  if (error) throw new PackageError(`setters: ${error.message}`);
  return new Map([...files, ...changed.written]);
}

/** The steps of argocd-cmp-kpt after the render. */
async function finish(
  items: Item[],
  { annotations, keepsLocal }: KptOptions,
  base: Base,
): Promise<readonly Item[]> {
  let output: readonly Item[] = items;
  if (annotations.size > 0) {
    const spec = { image: "set-annotations", exec: "", tag: "" };
    const call = { ...base, spec, config: { data: annotations }, selectors: [], exclude: [] };
    const annotated = await evalItems(items, [], call);
    if (annotated.error) throw annotated.error;
    output = annotated.items;
  }
  // A Kptfile is never for a cluster, whether it says so or not.
  return output.filter((item) => {
    const isLocal = annotationOf(item, localConfig).toLowerCase() === "true" && !keepsLocal;
    return (
      !isLocal && !(identityOf(item).kind === "Kptfile" && identityOf(item).apiVersion.startsWith("kpt.dev/"))
    );
  });
}

function resolver(
  { setters }: KptOptions,
  stage: Stage,
  { env, functions, withImage }: Operator,
): ResolveFunction {
  const overriding: KrmFunction = (list, context) => {
    const given = list.functionConfig?.entries.find(({ key }) => key.value === "data")?.value;
    const own =
      given?.kind === "mapping"
        ? given.entries.map(
            ({ key, value }) => [key.value, value.kind === "scalar" ? value.value : ""] as const,
          )
        : [];
    const changed = { ...list, functionConfig: configMapOf(new Map([...own, ...setters])) };
    const end = applySetters(changed, context);
    list.results = changed.results;
    return end;
  };
  const known = new Map(functions);
  const setter = known.get("apply-setters");
  if (setters.size > 0 && setter) known.set("apply-setters", { ...setter, run: overriding });
  return functionResolver({
    catalog: known,
    imagePrefix: env.KPT_IMAGE_PREFIX || defaultImagePrefix,
    ...stagePrograms(stage, env, withImage),
  });
}

function functionContext({ tree, path }: RenderContext, { signal, clock }: Stage, env: Env): FunctionContext {
  return {
    signal,
    clock,
    env,
    allowNetwork: false,
    readFile: async (file) => {
      const entry = await tree.entry(join(path, file));
      return entry && tree.read(entry);
    },
  };
}

function checkEnd(
  { error, results }: { error: Error | undefined; results: ResultList },
  context: RenderContext,
): void {
  if (!error) return;
  const cause = causeOf(error);
  if (!(cause instanceof AlreadyTold)) throw failure(cause.message, context);
  const last = results.items.at(-1);
  const lines = last ? [...last.results.map(describeResult), last.stderr] : [];
  const problem = `${last?.image || last?.exec || "a function"} failed: ${lines.filter((line) => line !== "").join("; ")}`;
  throw failure(problem, context);
}

function failure(problem: string, { path }: RenderContext): CapstanError {
  return new CapstanError({
    code: "PLUGIN_FAILED",
    plugin: "kpt",
    file: join(path, "Kptfile"),
    problem: problem.trimEnd(),
  });
}

/** kpt lets it pass through a package; a cluster knows no such kind. */
function isKustomization(item: Item): boolean {
  const { apiVersion, kind } = identityOf(item);
  return (
    apiVersion.startsWith("kustomize.config.k8s.io/") ||
    (apiVersion === "" && kind !== "") ||
    /(?:^|\/)kustomization\.ya?ml$/.test(fileOf(item).path)
  );
}

function toManifest(item: Item, context: RenderContext): GeneratedManifest {
  const { path, index } = fileOf(item);
  const copy = copyItem(item);
  clearNotes(copy);
  const manifest = toJson(toValue(copy.root));
  const file = join(context.path, path);
  if (!isManifest(manifest))
    throw new CapstanError({
      code: "MANIFEST_INVALID",
      file,
      document: Number(index) + 1,
      problem: "it is no Kubernetes object with apiVersion, kind and name",
    });
  return { manifest, origin: { file, document: Number(index) + 1 } };
}
