import { type FlagValues, parseFlags, UsageError } from "@capstan/cli/flags";
import type { ContainerSettings } from "@capstan/plugin-kpt";
import { readContainerSettings } from "./container-options.ts";
import { isVerb, ofEval, ofRender, ofSink, ofSource, readCommand, type VerbName } from "./verbs.ts";

/** Which resources a function is run on, as flags have it. */
export interface Selection {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  labels: ReadonlyMap<string, string>;
  annotations: ReadonlyMap<string, string>;
}

interface Common {
  directory: string;
  output: string;
  resultsDir: string;
  imagePrefix: string | undefined;
  allowExec: boolean;
  allowNetwork: boolean;
  containers: ContainerSettings;
}

export interface RenderFlags extends Common {
  command: "render";
}

export interface EvalFlags extends Common {
  command: "eval";
  image: string;
  tag: string;
  exec: string;
  fnConfig: string;
  args: readonly string[];
  type: "mutator" | "validator";
  save: boolean;
  match: Selection;
  exclude: Selection;
}

export interface SourceFlags {
  command: "source";
  directory: string;
  output: "stdout" | "unwrap";
  fnConfig: string;
}

export interface SinkFlags {
  command: "sink";
  directory: string;
}

export type KptFlags = RenderFlags | EvalFlags | SourceFlags | SinkFlags;

/** Asked for instead of a command's work. */
export interface HelpOf {
  command: "help";
  of: string;
}

/** What does the work of kpt's commands that are not here. */
const instead: Readonly<Record<string, string>> = {
  pkg: "; get and update packages with git or with kpt itself",
  live: "; an application (capstan app create) applies a package and prunes what it no longer has",
  alpha: "; use kpt itself",
  doc: "; what a function does is told in docs/kpt.md and by its catalog",
};

export function readKptFlags(argv: readonly string[]): KptFlags | HelpOf | "version" {
  const { command = "help", rest } = readCommand(argv);
  if (command === "help" || command === "--help" || command === "-h")
    return { command: "help", of: rest[0] ?? "" };
  if (command === "version") return "version";
  if (!isVerb(command))
    throw new UsageError(
      `unknown command "${command}": use fn render, eval, source or sink${instead[command] ?? ""}`,
    );
  return readVerb[command](rest) ?? { command: "help", of: command };
}

/** Undefined where help is asked for. */
const readVerb: Readonly<Record<VerbName, (argv: readonly string[]) => KptFlags | undefined>> = {
  render: readRender,
  eval: readEval,
  source: readSource,
  sink: readSink,
};

function readSource(argv: readonly string[]): SourceFlags | undefined {
  const { flags, args } = parseFlags(argv, ofSource);
  if (flags.help) return undefined;
  refuseMetaResources(flags);
  const { output: format = "stdout" } = flags;
  if (format !== "stdout" && format !== "unwrap")
    throw new UsageError(
      `invalid input for --output flag ${JSON.stringify(format)}, must be "stdout" or "unwrap"`,
    );
  return {
    command: "source",
    directory: onePackage(args),
    output: format,
    fnConfig: flags["fn-config"] ?? "",
  };
}

function readSink(argv: readonly string[]): SinkFlags | undefined {
  const { flags, args } = parseFlags(argv, ofSink);
  if (flags.help) return undefined;
  if (args.length === 0) throw new UsageError("name the folder to write into");
  return { command: "sink", directory: onePackage(args) };
}

function refuseMetaResources(values: { "include-meta-resources"?: boolean }): void {
  if (values["include-meta-resources"])
    throw new UsageError(
      "--include-meta-resources is no longer necessary because meta resources are now included by default",
    );
}

function readRender(argv: readonly string[]): RenderFlags | undefined {
  const { flags, args } = parseFlags(argv, ofRender);
  if (flags.help) return undefined;
  const allows = { allowExec: flags["allow-exec"] ?? false, allowNetwork: flags["allow-network"] ?? false };
  const containers = readContainerSettings(flags, "");
  return { command: "render", ...common(flags, args), ...allows, containers };
}

function readEval(argv: readonly string[]): EvalFlags | undefined {
  const end = argv.indexOf("--");
  const { flags, args: words } = parseFlags(end < 0 ? argv : argv.slice(0, end), ofEval);
  if (flags.help) return undefined;
  refuseMetaResources(flags);
  const { image = "", exec = "", type = "mutator" } = flags;
  if ((image === "") === (exec === ""))
    throw new UsageError(`must specify --image or --exec${image === "" ? "" : ", and not both"}`);
  const args = end < 0 ? [] : argv.slice(end + 1);
  if (args.length > 0 && flags["fn-config"])
    throw new UsageError("give a configuration with --fn-config or behind --, not both");
  return {
    command: "eval",
    ...common(flags, words),
    allowExec: true,
    allowNetwork: flags.network ?? false,
    containers: readContainerSettings(flags, exec),
    image,
    tag: flags.tag ?? "",
    exec,
    fnConfig: flags["fn-config"] ?? "",
    args,
    type: type === "validator" ? "validator" : "mutator",
    save: flags.save ?? false,
    match: readSelection("match", flags),
    exclude: readSelection("exclude", flags),
  };
}

function readSelection(side: "match" | "exclude", flags: FlagValues<typeof ofEval>): Selection {
  return {
    apiVersion: flags[`${side}-api-version`] ?? "",
    kind: flags[`${side}-kind`] ?? "",
    name: flags[`${side}-name`] ?? "",
    namespace: flags[`${side}-namespace`] ?? "",
    labels: pairs(flags[`${side}-labels`] ?? []),
    annotations: pairs(flags[`${side}-annotations`] ?? []),
  };
}

function common(
  values: { output?: string; "results-dir"?: string; "image-prefix"?: string },
  positionals: readonly string[],
): Pick<Common, "directory" | "output" | "resultsDir" | "imagePrefix"> {
  return {
    directory: onePackage(positionals),
    output: values.output ?? "",
    resultsDir: values["results-dir"] ?? "",
    imagePrefix: values["image-prefix"],
  };
}

function onePackage(positionals: readonly string[]): string {
  if (positionals.length > 1)
    throw new UsageError("0 or 1 arguments supported, function arguments go after '--'");
  return positionals[0] ?? ".";
}

function pairs(given: readonly string[]): Map<string, string> {
  return new Map(
    given
      .flatMap((one) => one.split(","))
      .map((pair) => {
        const at = pair.indexOf("=");
        if (at < 1) throw new UsageError(`"${pair}" must be KEY=VALUE`);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
  );
}
