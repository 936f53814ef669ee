import { parseArgs } from "node:util";
import type { ContainerSettings } from "@capstan/plugins";
import { readContainerSettings } from "./container-options.ts";
import { UsageError } from "./usage-error.ts";

export const usage = `Run the functions of kpt packages, those of the catalog in process.

Usage:
  kpt [fn] render [DIR] [flags]
  kpt [fn] eval [DIR|-] [flags] [-- KEY=VALUE ...]
  kpt fn source [DIR] [-o stdout|unwrap] [--fn-config FILE]    a package as one list, for eval -
  kpt fn sink DIR                                              the files of such a list, from standard input

Flags of render and eval:
  -o, --output stdout|unwrap|DIR   where the resources go instead of into the package
      --results-dir DIR            write what the functions found to DIR/results.yaml
      --image-pull-policy Always|IfNotPresent|Never    of functions in containers
      --allow-alpha-wasm           accepted; wasm functions run from images that are allowed (below)
      --truncate-output            accepted and without effect: output is never cut

Flags of render:
      --image-prefix PREFIX        of short image names; default $KPT_IMAGE_PREFIX, then that of the catalog
      --allow-exec                 let the package run programs
      --allow-network              let functions in containers and render-helm-chart reach the network

Flags of eval:
  -i, --image IMAGE                the function; --tag its tag or version range
      --exec COMMAND               a program as the function
      --fn-config FILE             its configuration, instead of KEY=VALUE behind --
  -t, --type mutator|validator     with --save: where in the Kptfile it goes
  -s, --save                       write the function into the Kptfile
      --match-api-version, --match-kind, --match-name, --match-namespace,
      --match-labels K=V, --match-annotations K=V    only these resources; --exclude-... all but these
      --network                    as --allow-network of render
      --mount type=bind,src=DIR,dst=DIR, -e, --env KEY[=VALUE], --as-current-user    of containers only
  -h, --help                       show this

Functions that are not in process:
  CAPSTAN_KPT_IMAGES  images, or paths above them, that are fetched and run in a sandbox (bubblewrap); "*" is all
  KRM_FN_RUNTIME      docker, podman or nerdctl, which runs images instead; by default the first that is installed
  gatekeeper          wants opa on PATH
`;

const both = {
  output: { type: "string", short: "o" },
  "results-dir": { type: "string" },
  "image-pull-policy": { type: "string" },
  "image-prefix": { type: "string" },
  "allow-alpha-wasm": { type: "boolean" },
  "truncate-output": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const ofRender = {
  ...both,
  "allow-exec": { type: "boolean" },
  "allow-network": { type: "boolean" },
} as const;

const ofSource = {
  output: { type: "string", short: "o" },
  "fn-config": { type: "string" },
  "include-meta-resources": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const fields = ["api-version", "kind", "name", "namespace"] as const;
type Field = (typeof fields)[number];
type SelectorOptions = Record<`${"match" | "exclude"}-${Field}`, { type: "string" }>;

const ofEval = {
  ...both,
  image: { type: "string", short: "i" },
  tag: { type: "string" },
  exec: { type: "string" },
  "fn-config": { type: "string" },
  type: { type: "string", short: "t" },
  save: { type: "boolean", short: "s" },
  network: { type: "boolean" },
  mount: { type: "string", multiple: true },
  env: { type: "string", short: "e", multiple: true },
  "as-current-user": { type: "boolean" },
  "match-api-version": { type: "string" },
  "match-kind": { type: "string" },
  "match-name": { type: "string" },
  "match-namespace": { type: "string" },
  "match-labels": { type: "string", multiple: true },
  "match-annotations": { type: "string", multiple: true },
  "exclude-api-version": { type: "string" },
  "exclude-kind": { type: "string" },
  "exclude-name": { type: "string" },
  "exclude-namespace": { type: "string" },
  "exclude-labels": { type: "string", multiple: true },
  "exclude-annotations": { type: "string", multiple: true },
  "include-meta-resources": { type: "boolean" },
} as const satisfies Record<string, object> & SelectorOptions;

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

export function readKptFlags(argv: readonly string[]): KptFlags | "help" {
  const [command, ...rest] = argv[0] === "fn" ? argv.slice(1) : argv;
  if (command === undefined || command === "help" || command === "--help" || command === "-h") return "help";
  if (command === "render") return readRender(rest);
  if (command === "eval") return readEval(rest);
  if (command === "source") return readSource(rest);
  if (command === "sink") return readSink(rest);
  throw new UsageError(`unknown command "${command}": use fn render, eval, source or sink`);
}

function readSource(argv: readonly string[]): SourceFlags | "help" {
  const { values, positionals } = parse(() =>
    parseArgs({ args: [...argv], options: ofSource, allowPositionals: true }),
  );
  if (values.help) return "help";
  refuseMetaResources(values);
  const { output = "stdout" } = values;
  if (output !== "stdout" && output !== "unwrap")
    throw new UsageError(
      `invalid input for --output flag ${JSON.stringify(output)}, must be "stdout" or "unwrap"`,
    );
  return {
    command: "source",
    directory: onePackage(positionals),
    output,
    fnConfig: values["fn-config"] ?? "",
  };
}

function readSink(argv: readonly string[]): SinkFlags | "help" {
  const options = { help: ofSource.help };
  const { values, positionals } = parse(() =>
    parseArgs({ args: [...argv], options, allowPositionals: true }),
  );
  if (values.help) return "help";
  if (positionals.length === 0) throw new UsageError("name the folder to write into");
  return { command: "sink", directory: onePackage(positionals) };
}

function refuseMetaResources(values: { "include-meta-resources"?: boolean }): void {
  if (values["include-meta-resources"])
    throw new UsageError(
      "--include-meta-resources is no longer necessary because meta resources are now included by default",
    );
}

function readRender(argv: readonly string[]): RenderFlags | "help" {
  const { values, positionals } = parse(() =>
    parseArgs({ args: [...argv], options: ofRender, allowPositionals: true }),
  );
  if (values.help) return "help";
  const allows = { allowExec: values["allow-exec"] ?? false, allowNetwork: values["allow-network"] ?? false };
  const containers = readContainerSettings(values, "");
  return { command: "render", ...common(values, positionals), ...allows, containers };
}

function readEval(argv: readonly string[]): EvalFlags | "help" {
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  const { values, positionals } = parse(() =>
    parseArgs({ args: [...own], options: ofEval, allowPositionals: true }),
  );
  if (values.help) return "help";
  refuseMetaResources(values);
  const { image = "", exec = "", type = "mutator" } = values;
  if ((image === "") === (exec === ""))
    throw new UsageError(`must specify --image or --exec${image === "" ? "" : ", and not both"}`);
  if (type !== "mutator" && type !== "validator")
    throw new UsageError(`--type "${type}" is none of mutator, validator`);
  const args = end < 0 ? [] : argv.slice(end + 1);
  if (args.length > 0 && values["fn-config"])
    throw new UsageError("give a configuration with --fn-config or behind --, not both");
  const select = (side: "match" | "exclude"): Selection => ({
    apiVersion: values[`${side}-api-version`] ?? "",
    kind: values[`${side}-kind`] ?? "",
    name: values[`${side}-name`] ?? "",
    namespace: values[`${side}-namespace`] ?? "",
    labels: pairs(values[`${side}-labels`] ?? []),
    annotations: pairs(values[`${side}-annotations`] ?? []),
  });
  return {
    command: "eval",
    ...common(values, positionals),
    allowExec: true,
    allowNetwork: values.network ?? false,
    containers: readContainerSettings(values, exec),
    image,
    tag: values.tag ?? "",
    exec,
    fnConfig: values["fn-config"] ?? "",
    args,
    type,
    save: values.save ?? false,
    match: select("match"),
    exclude: select("exclude"),
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

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
