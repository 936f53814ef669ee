import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve as absolute, basename, dirname, join, relative } from "node:path";
import type { Clock } from "@capstan/flow";
import type { WithImage } from "@capstan/plugin-kit";
import { readBelow, runToEnd } from "@capstan/plugin-kit";
import { onPath } from "@capstan/programs";
import { folderCharts } from "./chart-tools.ts";
import { commandFunction, type RunProgram, splitWords, throughPipes } from "./command-function.ts";
import {
  type ContainerSettings,
  containerFunction,
  containerRuntimes,
  readMount,
  readRuntime,
} from "./container-function.ts";
import { describeError } from "./describe-error.ts";
import { type EvalOptions, evalItems, evalPackage } from "./eval-package.ts";
import type { FunctionContext, KrmFunction } from "./function.ts";
import { readContainerMemory } from "./function-limits.ts";
import { printResultList, type ResultList } from "./function-results.ts";
import { withSchemas } from "./functions/catalog.ts";
import type { ReadDefinitions } from "./functions/kubeconform.ts";
import { checkOutput, giveResources } from "./give-resources.ts";
import type { Selector } from "./kptfile.ts";
import { readFolder, writeFolder } from "./package-folder.ts";
import { folderPolicies } from "./policy-tools.ts";
import { Progress } from "./progress.ts";
import { renderPackage } from "./render-package.ts";
import { defaultImagePrefix, functionResolver, type ResolveFunction } from "./resolve-function.ts";
import { resolveLink } from "./resolve-link.ts";
import { readStream } from "./resource-list.ts";
import { allowedVariable, isImageAllowed, sandboxedImage } from "./sandboxed-image.ts";
import { saveFunction } from "./save-function.ts";
import { AlreadyTold, CannotRun, causeOf, PackageError } from "./trace-error.ts";

export interface KptRequest {
  directory: string;
  /** Empty: into the package; stdout, unwrap, or a folder that is not there yet. */
  output: string;
  resultsDir: string;
  imagePrefix: string | undefined;
  allowExec: boolean;
  allowNetwork: boolean;
  /** Absent: as kpt runs them without being told. */
  containers?: ContainerSettings;
}

export interface KptEvalRequest extends KptRequest {
  image: string;
  tag: string;
  exec: string;
  fnConfig: string;
  /** KEY=VALUE; a first word without "=" is the kind. */
  args: readonly string[];
  type: "mutator" | "validator";
  save: boolean;
  match: Selector;
  exclude: Selector;
}

/** What a run has of its surroundings. */
export interface KptSurroundings {
  clock: Clock;
  signal: AbortSignal;
  env: Readonly<Record<string, string | undefined>>;
  out: (text: string) => void;
  err: (text: string) => void;
  /** A ResourceList, for `eval -`. */
  readInput: () => Promise<string>;
  /** Schemas of Kubernetes' own kinds, for kubeconform and kubeval. */
  readDefinitions?: ReadDefinitions;
  /** Images of functions that the one who calls allows (CAPSTAN_KPT_IMAGES). */
  withImage?: WithImage;
}

/** `kpt fn render`; the result is the exit code. */
export async function renderKptFolder(request: KptRequest, around: KptSurroundings): Promise<number> {
  checkOutput(request.output);
  const root = await resolveLink(request.directory, around);
  const files = await readFolder(root);
  const base = baseOf(request, around, root);
  const mode = request.output === "" ? "in-place" : "items";
  const names = { rootName: basename(root), shownRoot: root, workingFolder: absolute(".") };
  const done = await attempt(() => renderPackage(files, { ...base, ...names, mode }));
  if (done instanceof Error) return fail(done, around);
  if (mode === "in-place") await writeFolder(root, done.files, files);
  else if (!done.error) await giveResources(done.items, request.output, around);
  await saveResults(request.resultsDir, done.results, around);
  return done.error ? fail(done.error, around) : 0;
}

/** `kpt fn eval`; the result is the exit code. */
export async function evalKptFolder(request: KptEvalRequest, around: KptSurroundings): Promise<number> {
  checkOutput(request.output);
  const isStream = request.directory === "-";
  const root = isStream ? absolute(".") : await resolveLink(request.directory, around);
  const base = baseOf(request, around, root);
  const isInPlace = request.output === "" && !isStream;
  const call: EvalOptions = {
    ...base,
    mode: isInPlace ? "in-place" : "items",
    spec: { image: request.image, exec: request.exec, tag: request.tag },
    config: await readConfig(request, root),
    selectors: isSet(request.match) ? [request.match] : [],
    exclude: isSet(request.exclude) ? [request.exclude] : [],
  };
  const files = isStream ? new Map<string, string>() : await readFolder(root);
  const done = await attempt(async () =>
    isStream
      ? evalItems(readStream(await around.readInput(), "standard input"), [], call)
      : evalPackage(files, call),
  );
  if (done instanceof Error) return failPlainly(done, around);
  if (!done.error && isInPlace) await writeFolder(root, done.files, files);
  if (!done.error && !isInPlace) await giveResources(done.items, request.output || "stdout", around);
  if (request.resultsDir !== "") around.err("\n");
  await saveResults(request.resultsDir, done.results, around);
  if (done.error) return failPlainly(done.error, around);
  if (request.save)
    await saveFunction({ root, request, image: done.results.items[0]?.image ?? "" }, around.err);
  return 0;
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Error> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function fail(error: Error, { err, signal }: KptSurroundings): number {
  signal.throwIfAborted();
  err(describeError(error));
  return 1;
}

/** As eval ends, whose errors are kubectl's to print. */
function failPlainly(error: Error, { err, signal }: KptSurroundings): number {
  signal.throwIfAborted();
  const cause = causeOf(error);
  if (!(cause instanceof AlreadyTold)) err(`error: ${cause.message.trimEnd()}\n`);
  return 1;
}

async function saveResults(folder: string, results: ResultList, { err }: KptSurroundings): Promise<void> {
  if (folder === "") return;
  const file = join(folder, "results.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, printResultList(results));
  err(`For complete results, see ${file}\n`);
}

function isSet({ labels, annotations, ...fields }: Selector): boolean {
  return labels.size > 0 || annotations.size > 0 || Object.values(fields).some((value) => value !== "");
}

async function readConfig({ fnConfig, args }: KptEvalRequest, root: string): Promise<EvalOptions["config"]> {
  if (fnConfig !== "") {
    if (!existsSync(fnConfig)) throw new PackageError(`missing function config file: ${fnConfig}`);
    const shown = absolute(fnConfig);
    return { source: await readFile(fnConfig, "utf8"), shown, file: relative(root, shown) };
  }
  const [first = "", ...rest] = args;
  const hasKind = first !== "" && !first.includes("=");
  const data = new Map<string, string>();
  for (const arg of hasKind ? rest : args) {
    const at = arg.indexOf("=");
    if (at < 1) throw new PackageError(`args must have keys and values separated by =; "${arg}" has not`);
    data.set(arg.slice(0, at), arg.slice(at + 1));
  }
  return { data, ...(hasKind ? { kind: first } : {}) };
}

function baseOf(request: KptRequest, around: KptSurroundings, root: string) {
  const { clock, signal, env, err } = around;
  const context: FunctionContext = {
    clock,
    signal,
    env,
    allowNetwork: request.allowNetwork,
    readFile: async (path) => readBelow(root, path),
  };
  const withCharts = folderCharts(root, context, (request.containers?.mounts ?? []).map(readMount));
  return {
    resolve: resolverOf(request, around),
    context: { ...context, withCharts, runPolicies: folderPolicies(context) },
    progress: new Progress(err),
  };
}

const functionLimitMs = 5 * 60_000;

function resolverOf(
  request: KptRequest,
  { env, readDefinitions, withImage }: KptSurroundings,
): ResolveFunction {
  const set = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const run: RunProgram = async ([program = "", ...args], stdin, { clock, signal }) => {
    // As kpt: a program that is named by its path is found from where one stands.
    const command = { program, args, stdin, cwd: absolute("."), env: set };
    const end = await runToEnd(command, { clock, signal, timeoutMs: functionLimitMs });
    if (end.stopReason !== undefined) throw end.stopReason;
    return { exitCode: end.exitCode ?? 128, stdout: end.stdout.toString(), stderr: end.stderr };
  };
  const runInPipes: RunProgram = async (argv, stdin, context) => {
    const [program = ""] = argv;
    if (program.includes("/") ? !existsSync(program) : (await onPath(program, env)) === undefined)
      throw new CannotRun(`unexpected function error: ${missing(program)}`);
    const hasShell = (await onPath("sh", env)) !== undefined;
    return run(hasShell ? throughPipes(argv) : argv, stdin, context);
  };
  const container = (image: string): KrmFunction | undefined => {
    const isOwn = !env.KRM_FN_RUNTIME && isImageAllowed(image, env[allowedVariable]);
    if (isOwn && withImage) return sandboxedImage(image, withImage, run);
    const runtime = env.KRM_FN_RUNTIME ? readRuntime(env.KRM_FN_RUNTIME) : installedRuntime(env);
    const memory = readContainerMemory(env);
    return runtime && containerFunction({ ...request, runtime, image, memory, env: set }, run);
  };
  return functionResolver({
    catalog: withSchemas(readDefinitions),
    imagePrefix: request.imagePrefix ?? (env.KPT_IMAGE_PREFIX || defaultImagePrefix),
    ...(request.allowExec ? { exec: (line: string) => commandFunction(splitWords(line), runInPipes) } : {}),
    container,
  });
}

/** In the words of Go's os/exec. */
function missing(program: string): string {
  return program.includes("/")
    ? `fork/exec ${program}: no such file or directory`
    : `exec: ${JSON.stringify(program)}: executable file not found in $PATH`;
}

function installedRuntime({ PATH = "" }: KptSurroundings["env"]) {
  const folders = PATH.split(":").filter((folder) => folder !== "");
  return containerRuntimes.find((name) => folders.some((folder) => existsSync(join(folder, name))));
}
