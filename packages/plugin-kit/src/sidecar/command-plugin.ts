import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { parseJson, stringifyJson } from "@capstan/formats";
import {
  CapstanError,
  type ConfigManagementPlugin,
  messageOf,
  type ParameterAnnouncement,
  type PluginCommand,
} from "@capstan/model";
import { checkIsolation, isSandboxed, ownerOf } from "../isolation/confine-command.ts";
import type { Isolation } from "../isolation/probe-isolation.ts";
import { observeRun } from "../observe/observe-run.ts";
import type { GeneratedManifest, Observed } from "../plugin.ts";
import { withParameterDefaults } from "../plugin-env.ts";
import type { PluginDescription, RunResult, ServedPlugin, Shape, SourceRun } from "../served-plugin.ts";
import { commandEnvironment } from "./command-environment.ts";
import { showArgv } from "./command-failed.ts";
import { hasFileName, hasGlobMatch } from "./discover.ts";
import { networkTool } from "./network-tool.ts";
import { digestPlugin } from "./plugin-file.ts";
import { readAnnouncements } from "./read-announcements.ts";
import {
  type CommandOptions,
  type CommandSettings,
  runPluginCommand,
  waitForCommand,
} from "./run-plugin-command.ts";
import { secretTool } from "./secret-tool.ts";

/** A plugin.yaml, run as commands in the application's directory (Argo CD: cmpserver/plugin/plugin.go). */
export function commandPlugin(config: ConfigManagementPlugin, general: CommandSettings): ServedPlugin {
  const { metadata, spec } = config;
  checkIsolation(general.isolation, spec, metadata.name);
  const settings = optionsFor(config, general);
  const observes = spec.inputs?.observe === true && general.isolation.strace !== undefined;
  const isSet = (command: PluginCommand | undefined) => (command?.command ?? []).length > 0;
  const defaults = spec.parameters?.passDefaults === true ? (spec.parameters.static ?? []) : [];
  const execute = (run: SourceRun, commands: Record<string, PluginCommand>, stdin?: string) => {
    const env = withParameterDefaults(run.env, defaults);
    return runCommands(commands, { run: { ...run, env }, settings, stdin, observes });
  };
  const init: Record<string, PluginCommand> = spec.init && isSet(spec.init) ? { init: spec.init } : {};
  const { generate, transform } = spec;
  return {
    describe: () => describeConfig(config, general),
    ownerOf: (repository) => ownerOf(general.isolation, spec, repository),
    match: (run) => matchDiscovery(config, run, settings),
    async announce(run) {
      const dynamic = spec.parameters?.dynamic;
      if (!dynamic || !isSet(dynamic)) return [];
      return readDynamic(await runPluginCommand(dynamic, run, settings));
    },
    ...(generate && isSet(generate)
      ? {
          generate: (run: SourceRun) => execute(run, { ...init, generate }),
          wait: (place) => waitForCommand(init.init ?? generate, place, settings),
        }
      : {}),
    ...(transform && isSet(transform)
      ? {
          transform: (manifests: readonly GeneratedManifest[], run: SourceRun) =>
            execute(run, { transform }, writeStream(manifests)),
        }
      : {}),
  };
}

function optionsFor(config: ConfigManagementPlugin, general: CommandSettings): CommandOptions {
  const { isolation, network: asked, readable, writable, environment } = config.spec;
  const network = asked ?? (general.network === true || networkTool(config) !== undefined);
  const rules = {
    ...{ network, mustStayOff: asked === false },
    ...(isolation === undefined ? {} : { isolation }),
    ...(readable === undefined ? {} : { readable }),
    ...(writable === undefined ? {} : { writable }),
  };
  const whole = general.wholeEnvironment === true;
  const reaches = network || !isSandboxed(general.isolation, rules);
  const env = commandEnvironment(general.env, { environment, whole, network: reaches });
  return { ...general, rules, env: { ...env, ...(reaches ? general.given : {}) } };
}

interface CommandsOptions {
  run: SourceRun;
  settings: CommandOptions;
  stdin: string | undefined;
  /** Whether what they read is to be told. */
  observes: boolean;
}

async function runCommands(
  commands: Record<string, PluginCommand>,
  { run, settings, stdin, observes }: CommandsOptions,
): Promise<RunResult> {
  let text = "";
  const timings: { name: string; ms: number }[] = [];
  const shown: string[] = [];
  const traces: string[] = [];
  for (const [name, command] of Object.entries(commands)) {
    const started = settings.clock.now();
    const trace = observes && run.kindAt ? join(run.scratch, `trace-${name}`) : undefined;
    if (trace !== undefined) traces.push(trace);
    text = await runPluginCommand(command, run, { ...settings, stdin, trace, mayBeSilent: name === "init" });
    timings.push({ name, ms: settings.clock.now() - started });
    shown.push(showArgv([...(command.command ?? []), ...(command.args ?? [])]));
  }
  const observed = await observeCommands(traces, Object.values(commands), run);
  return { output: { text }, commands: shown, timings, ...(observed ? { observed } : {}) };
}

async function observeCommands(
  traces: readonly string[],
  commands: readonly PluginCommand[],
  run: SourceRun,
): Promise<Observed | undefined> {
  const { root, path, refs, scratch, kindAt } = run;
  if (traces.length === 0 || !kindAt) return undefined;
  const linkAt = (link: string) => readLink(join(root, link));
  const known = [scratch, ...Object.values(refs)];
  const identified = commands.flatMap(({ command = [], args = [] }) => [...command, ...args]);
  return observeRun(traces, join(root, path), { root, path, known, identified, kindAt, linkAt });
}

/** What the run made of a link does not count; "" is the directory that it stood in. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** What a transforming command reads: one JSON document a line, each after a separator. */
function writeStream(manifests: readonly GeneratedManifest[]): string {
  return manifests.map(({ manifest }) => `---\n${stringifyJson(manifest)}\n`).join("");
}

async function describeConfig(
  config: ConfigManagementPlugin,
  general: CommandSettings,
): Promise<PluginDescription> {
  const { isolation } = general;
  const { metadata, spec } = config;
  const find = spec.discover?.find;
  const hasFindCommand = (find?.command ?? []).length > 0;
  const shapes: Shape[] = [];
  if ((spec.generate?.command ?? []).length > 0) shapes.push("generate");
  if ((spec.transform?.command ?? []).length > 0) shapes.push("transform");
  return {
    name: metadata.name,
    ...(spec.version ? { version: spec.version } : {}),
    digest: await digestPlugin(config),
    shapes,
    ...(hasDiscovery(config)
      ? {
          discovery: {
            ...(spec.discover?.fileName ? { fileName: spec.discover.fileName } : {}),
            ...(find?.glob ? { findGlob: find.glob } : {}),
            ...(hasFindCommand ? { findCommand: true } : {}),
          },
        }
      : {}),
    ...describeInputs(config, isolation),
    notes: notesOn(config, general),
    parameters: spec.parameters?.static ?? [],
    dynamicParameters: (spec.parameters?.dynamic?.command ?? []).length > 0,
    ...sensitivityOf(config),
    preserveFileMode: spec.preserveFileMode ?? false,
    provideGitCreds: spec.provideGitCreds ?? false,
    ...concurrencyOf(config),
  };
}

/** Nothing where neither the file says it nor a command names a tool for secrets: what it makes tells. */
function sensitivityOf(config: ConfigManagementPlugin): Pick<PluginDescription, "sensitive"> {
  const { sensitive } = config.spec;
  if (sensitive !== undefined) return { sensitive };
  return secretTool(config) === undefined ? {} : { sensitive: true };
}

function concurrencyOf({
  spec: { concurrency, allowConcurrency },
}: ConfigManagementPlugin): Pick<PluginDescription, "concurrency"> {
  if (concurrency !== undefined) return { concurrency };
  return allowConcurrency === false ? { concurrency: 1 } : {};
}

function notesOn(config: ConfigManagementPlugin, general: CommandSettings): string[] {
  const { spec } = config;
  const { isolation } = general;
  const notes = [...networkNotes(config, general), ...defaultNotes(config)];
  const tool = spec.sensitive === undefined ? secretTool(config) : undefined;
  if (tool !== undefined)
    notes.push(
      `its output rests nowhere, because a command names ${tool}; spec.sensitive: false says otherwise`,
    );
  if (spec.isolation !== "none" && spec.isolation !== "copy" && isolation.whyNoSandbox !== undefined)
    notes.push(`commands run without a sandbox: ${isolation.whyNoSandbox}`);
  if (spec.inputs?.observe !== true) return notes;
  return isolation.strace === undefined
    ? [
        ...notes,
        `what it reads cannot be observed, so that the whole repository counts: ${isolation.whyNoTrace}`,
      ]
    : [
        ...notes,
        "what it reads is observed, but for the clock: output that shows the time can be an earlier one",
      ];
}

function defaultNotes({ spec: { parameters } }: ConfigManagementPlugin): string[] {
  const { static: announced = [], passDefaults } = parameters ?? {};
  const hasDefaults = announced.some((one) => (one.string ?? one.array ?? one.map) !== undefined);
  if (!hasDefaults) return [];
  return passDefaults === true
    ? ["its commands get the defaults of parameters that an application does not set"]
    : [
        "its commands do not get the defaults of its parameters; spec.parameters.passDefaults: true passes them",
      ];
}

function networkNotes(config: ConfigManagementPlugin, { isolation, network }: CommandSettings): string[] {
  const { spec } = config;
  const isOpen = spec.isolation === "none" || spec.isolation === "copy" || isolation.sandbox === undefined;
  if (isOpen || spec.network !== undefined || network === true) return [];
  const tool = networkTool(config);
  return tool === undefined
    ? ["its commands run without the network; spec.network: true permits it"]
    : [`its commands reach the network, because one names ${tool}; spec.network: false says otherwise`];
}

/** Where nothing can be observed, nothing is said: the whole repository counts. */
function describeInputs(
  { spec: { inputs } }: ConfigManagementPlugin,
  isolation: Isolation,
): Pick<PluginDescription, "inputs"> {
  if (!inputs) return {};
  if (inputs.observe === true) return isolation.strace === undefined ? {} : { inputs: { observe: true } };
  const globs = [...(inputs.paths ?? []), ...(inputs.globs ?? [])];
  return globs.length === 0 ? {} : { inputs: { globs } };
}

function hasDiscovery({ spec: { discover } }: ConfigManagementPlugin): boolean {
  return Boolean(discover?.fileName || discover?.find?.glob || discover?.find?.command?.length);
}

async function matchDiscovery(
  { spec: { discover } }: ConfigManagementPlugin,
  run: SourceRun,
  settings: CommandOptions,
): Promise<boolean> {
  if (discover?.fileName) return hasFileName(run.root, run.path, discover.fileName);
  const find = discover?.find;
  if (find?.glob) return hasGlobMatch(run.root, run.path, find.glob);
  if (!find?.command?.length) return false;
  try {
    return (await runPluginCommand(find, run, { ...settings, mayBeSilent: true })) !== "";
  } catch (error) {
    throw new Error(`error running find command: ${messageOf(error)}`, { cause: error });
  }
}

function readDynamic(text: string): ParameterAnnouncement[] {
  try {
    return readAnnouncements(parseJson(text));
  } catch (error) {
    throw new CapstanError(
      {
        code: "MANIFEST_INVALID",
        file: "output of spec.parameters.dynamic",
        problem: `is no JSON list of parameters: ${messageOf(error)}`,
      },
      error,
    );
  }
}
