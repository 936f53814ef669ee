import { hash } from "node:crypto";
import { isManifest } from "@capstan/model";
import type { GeneratedManifest } from "../plugin.ts";
import type { PluginDescription, RunResult, ServedPlugin, Shape, SourceRun } from "../served-plugin.ts";
import { hasFileName, hasGlobMatch } from "../sidecar/discover.ts";
import type { DefinedPlugin, Output, PluginDefinition, PluginRun } from "./define-plugin.ts";
import { openRun, type RunSettings } from "./open-run.ts";
import { announcementsOf, type Parameters } from "./parameters.ts";
import { asFailure, PluginError } from "./plugin-error.ts";

interface ServedSettings extends RunSettings {
  /** Changes whenever the plugin's code does. */
  readonly program: string;
  /** Of the author's files, in which an error's place is told. */
  readonly folder?: string;
}

/** What a server can serve. */
export function servedPlugin<P extends Parameters>(
  { definition }: DefinedPlugin<P>,
  settings: ServedSettings,
): ServedPlugin {
  const { prepare, generate, transform } = definition;
  const run = (source: SourceRun, work: (run: PluginRun<P>) => Promise<readonly Output[]>) =>
    runDefined(definition, source, { settings, work });
  return {
    describe: async () => describe(definition, settings.program),
    match: (source) => matches(definition, source),
    announce: async () => [],
    ...(prepare
      ? {
          prepare: (source: SourceRun) =>
            run(source, async (one) => {
              await prepare(one);
              return [];
            }),
        }
      : {}),
    ...(generate ? { generate: (source: SourceRun) => run(source, async (one) => generate(one)) } : {}),
    ...(transform
      ? {
          transform: (manifests: readonly GeneratedManifest[], source: SourceRun) =>
            run(source, async (one) =>
              transform(
                manifests.map(({ manifest }) => manifest),
                one,
              ),
            ),
        }
      : {}),
  };
}

function describe<P extends Parameters>(definition: PluginDefinition<P>, program: string): PluginDescription {
  const { name, version, discover, parameters = {}, inputs, sensitive, concurrency } = definition;
  const shapes = (["prepare", "generate", "transform"] as const).filter(
    (shape): shape is Shape => definition[shape] !== undefined,
  );
  const announced = announcementsOf(parameters);
  const discovery = {
    ...(discover?.fileName === undefined ? {} : { fileName: discover.fileName }),
    ...(discover?.find === undefined ? {} : { findGlob: discover.find.glob }),
  };
  return {
    name,
    digest: hash("sha256", JSON.stringify([name, version, program, announced, inputs, discover])),
    shapes,
    parameters: announced,
    dynamicParameters: false,
    preserveFileMode: true,
    provideGitCreds: false,
    ...(version === undefined ? {} : { version }),
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(discover === undefined ? {} : { discovery }),
    ...(inputs === undefined ? {} : { inputs: { globs: inputs } }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

async function matches<P extends Parameters>(
  { discover }: PluginDefinition<P>,
  { root, path }: SourceRun,
): Promise<boolean> {
  if (discover?.fileName !== undefined) return hasFileName(root, path, discover.fileName);
  return discover?.find === undefined ? false : hasGlobMatch(root, path, discover.find.glob);
}

async function runDefined<P extends Parameters>(
  definition: PluginDefinition<P>,
  source: SourceRun,
  { settings, work }: { settings: ServedSettings; work: (run: PluginRun<P>) => Promise<readonly Output[]> },
): Promise<RunResult> {
  const commands: string[] = [];
  const started = settings.clock.now();
  try {
    const run = openRun(definition, source, { ...settings, onCommand: (shown) => commands.push(shown) });
    const manifests = (await work(run)).map((one, index) => placed(one, index));
    const ms = settings.clock.now() - started;
    return { output: { manifests }, commands, timings: [{ name: definition.name, ms }] };
  } catch (error) {
    source.signal.throwIfAborted();
    const hide = [source.root, source.scratch];
    throw asFailure(error, { plugin: definition.name, hide, folder: settings.folder });
  }
}

function placed(output: Output, index: number): GeneratedManifest {
  const { object, ...origin } = "object" in output ? output : { object: output };
  const manifest = { metadata: {}, ...object };
  if (!isManifest(manifest))
    throw new PluginError(
      `what it made is no Kubernetes object: item ${index + 1} needs apiVersion and kind`,
    );
  return { manifest, ...("file" in origin ? { origin } : {}) };
}
