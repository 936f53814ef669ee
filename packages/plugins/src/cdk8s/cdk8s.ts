import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError, isRecord, parsePlacedManifests } from "@capstan/model";
import {
  type Generated,
  type GeneratedManifest,
  type HeldEnd,
  type Inputs,
  inProcessPlugin,
  joinWithin,
  type Plugin,
  pluginEnv,
  type RenderContext,
  type Stage,
  withoutRevision,
} from "@capstan/plugin-kit";
import { confinedStage, unconfinedVariable, withoutCredentials } from "../commands/confined-stage.ts";
import { type AppFile, appFileName, readAppFile, readPackages } from "./app-file.ts";
import { installPackages } from "./install-packages.ts";
import { layOutApp } from "./lay-out-app.ts";
import { WarmApps } from "./warm-apps.ts";

type Env = Readonly<Record<string, string | undefined>>;

const outputFolder = ".capstan-cdk8s";
const maxOutputBytes = 128 * 2 ** 20;
const runMs = 90_000;

/**
 * Applications of cdk8s: TypeScript and JavaScript in processes that are warm, others by the command in cdk8s.yaml.
 * `operator` is the environment with npm's settings.
 */
export function cdk8s(operator: Env): Plugin {
  const apps = new WarmApps();
  return inProcessPlugin({
    name: "cdk8s",
    discover: { fileName: appFileName },
    parameters: [
      {
        name: "files",
        title: "Further files",
        tooltip: "Directories and files that the application reads, from the repository's root",
        collectionType: "array",
      },
    ],
    inputs,
    generate: (context, stage) => generate(context, stage, { apps, operator }),
  });
}

async function inputs(context: RenderContext): Promise<Inputs> {
  const { path, source } = context;
  const { file, command } = await readAppFile(context);
  const own = command.kind === "node" ? (await readPackages(context)).directory : path;
  const names = ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"];
  const packages = own === path ? [] : names.map((name) => (own === "" ? name : `${own}/${name}`));
  const further = source.plugin?.parameters?.find(({ name }) => name === "files")?.array ?? [];
  const paths = further.map((one) => {
    const inside = joinWithin("", one);
    if (inside === undefined)
      throw new CapstanError({ code: "PATH_OUTSIDE", path: one, field: "parameter files" });
    return inside;
  });
  const facts = [file, withoutRevision(pluginEnv(context))];
  return { paths: [path, ...packages, ...paths], refs: {}, facts };
}

interface Means {
  apps: WarmApps;
  operator: Env;
}

async function generate(context: RenderContext, stage: Stage, means: Means): Promise<Generated> {
  const app = await readAppFile(context);
  const files = app.command.kind === "node" ? runWarm : runCommand;
  const made = await files(context, stage, { app, ...means });
  const manifests = made.flatMap(readManifests);
  if (manifests.length > 0) return { manifests, commands: [app.text] };
  const problem = "the application made no manifests. Does it call app.synth()?";
  throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", file: app.file, problem });
}

interface MadeFile {
  readonly name: string;
  readonly text: string;
}

function readManifests({ name, text }: MadeFile): GeneratedManifest[] {
  return parsePlacedManifests(text, { file: name }).map(({ manifest, document, line }) => ({
    manifest,
    origin: { file: name, document, line },
  }));
}

async function runWarm(
  context: RenderContext,
  stage: Stage,
  { app, apps, operator }: Means & { app: AppFile },
): Promise<MadeFile[]> {
  const { command } = app;
  if (command.kind !== "node") return [];
  const packages = await readPackages(context);
  const modules = await installPackages(packages, stage, operator);
  const { root } = await stage.workspace();
  const late = new AbortController();
  const ended = new AbortController();
  stage.clock.sleep(runMs, ended.signal).then(
    () => late.abort(new CapstanError({ code: "TIMED_OUT", what: "the cdk8s application", afterMs: runMs })),
    () => undefined,
  );
  const options = {
    searchPath: stage.env.PATH ?? "",
    clock: stage.clock,
    signal: AbortSignal.any([stage.signal, late.signal]),
  };
  try {
    return await apps.run(modules, options, {
      lay: async (folder) => {
        await layOutApp(context, { root, folder, modules, packages: packages.directory });
        const env = { ...envOf(context), CDK8S_OUTDIR: join(folder, outputFolder) };
        return { directory: context.path, entry: command.entry, env };
      },
      read: (folder, end) => {
        refuseFailure(end, app);
        return readOutput(folder, context, app);
      },
    });
  } finally {
    ended.abort();
  }
}

function refuseFailure({ exitCode, stderr, message }: HeldEnd, { file: appFile }: AppFile): void {
  if (exitCode === 0 && message === undefined) return;
  const told = isRecord(message) ? message : {};
  const problem = typeof told.problem === "string" ? told.problem : lastLines(stderr, exitCode);
  const file = typeof told.file === "string" ? told.file : appFile;
  const place = typeof told.line === "number" ? { file, line: told.line } : { file };
  throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", ...place, problem });
}

function lastLines(stderr: string, exitCode: number | null): string {
  const text = stderr.trim().split("\n").slice(-5).join("\n");
  return `it ended with exit code ${exitCode ?? "none"}${text === "" ? "" : `: ${text}`}`;
}

async function runCommand(
  context: RenderContext,
  stage: Stage,
  { app, operator }: Means & { app: AppFile },
): Promise<MadeFile[]> {
  const { command } = app;
  if (command.kind !== "command") return [];
  const mayRunOpenly = operator[unconfinedVariable] === "true";
  const confined = confinedStage(stage, { plugin: "cdk8s", mayRunOpenly });
  const { root } = await confined.workspace();
  const own = { ...envOf(context), CDK8S_OUTDIR: join(root, outputFolder) };
  const env = { ...withoutCredentials(stage.env), ...ofGo(operator), ...own };
  const { program, args } = command;
  await confined.run({ program, args, cwd: join(root, context.path), env, tool: program });
  return readOutput(root, context, app);
}

/** How Go finds modules here. */
function ofGo(operator: Env): Record<string, string> {
  const names = ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GOFLAGS", "GOTOOLCHAIN"];
  return Object.fromEntries(names.flatMap((name) => (operator[name] ? [[name, operator[name]]] : [])));
}

/** Where CDK8S_OUTDIR says, or where the application chose otherwise, what its cdk8s.yaml names. */
async function readOutput(folder: string, { path }: RenderContext, { output }: AppFile): Promise<MadeFile[]> {
  const made = await readFiles(join(folder, outputFolder));
  if (made.length > 0) return made;
  const other = joinWithin(path, output);
  return other === undefined ? [] : readFiles(join(folder, other));
}

async function readFiles(directory: string): Promise<MadeFile[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name));
  const made: MadeFile[] = [];
  let bytes = 0;
  for (const { name, parentPath } of files.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const text = await readFile(join(parentPath, name), "utf8");
    bytes += text.length;
    if (bytes > maxOutputBytes)
      throw new CapstanError({
        code: "OUTPUT_TOO_LARGE",
        what: "the application",
        limitBytes: maxOutputBytes,
      });
    made.push({ name, text });
  }
  return made;
}

function envOf(context: RenderContext): Record<string, string> {
  return Object.fromEntries(pluginEnv(context).map(({ name, value }) => [name, value]));
}
