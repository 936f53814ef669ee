import { hash } from "node:crypto";
import { BoundedMap } from "@capstan/flow";
import { canonicalJson, isRecord } from "@capstan/formats";
import {
  type ApplicationSource,
  CapstanError,
  type Pipeline,
  parseYaml,
  pipelineApiVersion,
  readPipeline,
  validatePipeline,
  withLines,
} from "@capstan/model";
import {
  followLinks,
  type GeneratedManifest,
  type Inputs,
  type Plugin,
  type RenderContext,
} from "@capstan/plugin-kit";
import { bareSource } from "../choose/bare-source.ts";
import { matchesRules } from "../choose/choose-plugin.ts";
import { markSecrets } from "../run/mask-values.ts";
import { markTexts } from "../run/unsaid-secrets.ts";
import { type FindPlugin, type OpenPipeline, openPipeline } from "./open-pipeline.ts";
import { digestStages, type Means, type PipelineParts, runPipeline, type StageRun } from "./run-pipeline.ts";
import { earliestEnd } from "./run-stage.ts";

/** In the application's directory. */
const fileName = "capstan.yaml";

/** A plugin whose one run is several stages, of which each can be looked at. */
export interface PipelinePlugin extends Plugin {
  readonly written: OpenPipeline["written"];
  run(context: RenderContext, means: Means): Promise<readonly StageRun[]>;
}

export function isPipelinePlugin(plugin: Plugin): plugin is PipelinePlugin {
  return "written" in plugin && "run" in plugin;
}

interface PipelinesOptions extends PipelineParts {
  /** Whether the source has a tool's section. */
  isAnyTool(source: ApplicationSource): boolean;
  /** Those of the operator, as they are now. */
  named(): readonly Pipeline[];
}

/** How stages find their plugins. */
export type Choose = (question: RenderContext) => Promise<Plugin>;

/** Pipelines of applications' directories and of the operator, as plugins. */
export class Pipelines {
  readonly #options: PipelinesOptions;
  readonly #verdicts = new BoundedMap<boolean>(50_000);

  constructor(options: PipelinesOptions) {
    this.#options = options;
  }

  /** Changes whenever one of the operator's pipelines does. */
  digest(): string {
    const specs = this.#options.named().map(({ metadata, spec }) => ({ name: metadata.name, spec }));
    return specs.length === 0 ? "" : hash("sha256", canonicalJson(specs), "hex");
  }

  /** The pipeline that renders a source: the one it names, else that of its directory, else a discovered one. */
  async find(question: RenderContext, choose: Choose): Promise<Plugin | undefined> {
    const { source } = question;
    const name = source.plugin?.name ?? "";
    const named = this.#options.named();
    const byName = name === "" ? undefined : named.find(({ metadata }) => metadata.name === name);
    if (byName) return this.#open(checked(byName, `Pipeline ${name}`), { question, choose });
    if (name !== "" || this.#options.isAnyTool(source)) return undefined;
    const own = await readOwn(question);
    if (own) return this.#open(own.pipeline, { question, choose }, own.file);
    for (const one of named.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1)))
      if (await this.#isDiscovered(one, question))
        return this.#open(checked(one, `Pipeline ${one.metadata.name}`), { question, choose });
    return undefined;
  }

  async #open(
    pipeline: Pipeline,
    { question, choose }: { question: RenderContext; choose: Choose },
    file?: string,
  ): Promise<PipelinePlugin> {
    const bare = bareSource(question.source);
    const find: FindPlugin = (name) => choose({ ...question, source: { ...bare, plugin: { name } } });
    const own = question.source.plugin;
    const of = { find, context: question, ...(file === undefined ? {} : { file }) };
    return asPlugin(await openPipeline(pipeline, own, of), this.#options);
  }

  /** A plugin that stands for stages, as their pipeline; any other is itself. */
  async expanded(plugin: Plugin, context: RenderContext): Promise<Plugin> {
    if (!plugin.expand) return plugin;
    const { name } = plugin;
    const pipeline: Pipeline = {
      apiVersion: pipelineApiVersion,
      kind: "Pipeline",
      metadata: { name },
      spec: { stages: [{ plugin: name }] },
    };
    const opened = await openPipeline(pipeline, context.source.plugin, { find: async () => plugin, context });
    return { ...asPlugin(opened, this.#options), parameters: plugin.parameters ?? [] };
  }

  async #isDiscovered({ spec }: Pipeline, question: RenderContext): Promise<boolean> {
    const { fileName: name, glob } = spec.discover ?? {};
    const pattern = name ?? glob;
    if (pattern === undefined) return false;
    const directory = await question.tree.entry(question.path);
    const key = `${directory?.digest} ${pattern}`;
    const verdict =
      this.#verdicts.get(key) ??
      (await matchesRules(name === undefined ? { find: { glob: pattern } } : { fileName: name }, question));
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}

async function readOwn({
  tree,
  path,
}: RenderContext): Promise<{ pipeline: Pipeline; file: string } | undefined> {
  const file = path === "" ? fileName : `${path}/${fileName}`;
  const entry = await followLinks(tree, file);
  if (entry?.kind !== "file" && entry?.kind !== "executable") return undefined;
  const text = (await tree.read(entry)).toString();
  const value = parseYaml(text, { file });
  return isRecord(value) && looksOurs(value) ? { pipeline: checked(value, file, text), file } : undefined;
}

/** With a typing error in kind or apiVersion too: another tool would render the files as they are. */
function looksOurs({ kind, apiVersion, spec }: Record<string, unknown>): boolean {
  const isOfUs = typeof apiVersion === "string" && apiVersion.startsWith("capstan.dev/");
  const hasStages = isRecord(spec) && Array.isArray(spec.stages);
  return isOfUs || (apiVersion === undefined && (kind === "Pipeline" || hasStages));
}

/** A field that nobody knows would do nothing: there is no other reader of these files. */
function checked(value: unknown, what: string, text = ""): Pipeline {
  const problems = withLines(validatePipeline(value), text).map((problem) => ({
    ...problem,
    severity: "error" as const,
  }));
  if (problems.length > 0) throw new CapstanError({ code: "INVALID_SPEC", what, problems });
  return readPipeline(value);
}

function asPlugin(pipeline: OpenPipeline, parts: PipelineParts): PipelinePlugin {
  const run: PipelinePlugin["run"] = (context, means) => runPipeline(pipeline, context, { parts, means });
  return {
    name: pipeline.name,
    written: pipeline.written,
    sensitive: pipeline.stages.some(({ sensitive }) => sensitive),
    parameters: pipeline.written.flatMap(({ name, plugin }) =>
      (plugin.parameters ?? []).map((one) => ({ ...one, name: `${name}/${one.name ?? ""}` })),
    ),
    inputs: (context) => inputsOf(pipeline, context),
    run,
    generate: async (context, stage) => {
      const runs = await run(context, stage);
      return {
        manifests: withSecrets(runs),
        commands: runs.flatMap(({ commands }) => commands),
        ...earliestEnd(runs),
        stages: runs.map(({ stage: { name }, ms, cache }) => ({ name, ms: cache === "hit" ? 0 : ms })),
      };
    },
  };
}

/** What stood there before the first sensitive stage is no secret. */
function withSecrets(runs: readonly StageRun[]): readonly GeneratedManifest[] {
  const last = runs.at(-1);
  if (!last) return [];
  const { manifests, unsaid, stage } = last;
  if (!stage.sensitive) return markTexts(manifests, unsaid);
  const open = runs.filter((run) => !run.stage.sensitive).at(-1)?.manifests ?? [];
  const marked = markSecrets(
    manifests,
    open.map(({ manifest }) => manifest),
  );
  return markTexts(marked, unsaid);
}

/** With a stage that changes files only the stages' own keys are exact; this one then says that nothing changed at all. */
async function inputsOf(pipeline: OpenPipeline, context: RenderContext): Promise<Inputs> {
  const digests = await digestStages(pipeline, context);
  const { stages, file } = pipeline;
  const specs = stages.map(({ spec, values }) => ({ spec, values }));
  if (digests) return { paths: [], refs: {}, facts: { digests, specs } };
  const { appName, namespace, project, kubeVersion, apiVersions, env, path } = context;
  const asked = { appName, namespace, project, kubeVersion, apiVersions, env, path };
  return {
    paths: [""],
    refs: Object.fromEntries(Object.keys(context.refs).map((name) => [name, [""]])),
    facts: { asked, specs, file },
  };
}
