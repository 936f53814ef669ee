import { deadline } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  type Generated,
  type GeneratedManifest,
  type Inputs,
  inProcessPlugin,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { readJsonFile, readYamlFile } from "./read-file.ts";
import { type SelectedFile, selectFiles } from "./select-files.ts";

/** Argo CD's --max-combined-directory-manifests-size. */
const maxBytesTogether = 10 * 2 ** 20;
const filesAtOnce = 16;
/** Of all programs of a directory: Argo CD's --repo-server-timeout-seconds, what a render may take there altogether. */
const jsonnetMs = 60_000;
const skipMark = "+argocd:skip-file-rendering";

/** Most directories hold none. */
const loadJsonnet = () => import("./run-jsonnet.ts");

/** Plain YAML, JSON and jsonnet files, as Argo CD's Directory source reads them. */
export const directory = inProcessPlugin({
  name: "directory",
  tool: { section: "directory", type: "Directory" },
  isFlat: (source) => source.directory?.recurse !== true,
  inputs,
  generate,
});

async function inputs(context: RenderContext): Promise<Inputs> {
  const files = await selectFiles(context);
  const options = context.source.directory?.disableExtensionFilter ?? false;
  const programs = files.filter((file) => isJsonnet(file, context));
  const read = await Promise.all(
    programs.map(async ({ path }) => (await loadJsonnet()).jsonnetInputs(path, context)),
  );
  const paths = files.flatMap(({ path, entry }) => [path, entry.path]);
  const facts = { options, programs: read.map((one) => one.facts) };
  return { paths: [...paths, ...read.flatMap((one) => one.paths)], refs: {}, facts };
}

async function generate(context: RenderContext, stage: Stage): Promise<Generated> {
  const files = await selectFiles(context);
  const budget = { bytes: 0 };
  using limited = deadline({
    ...{ clock: stage.clock, signal: stage.signal, ms: jsonnetMs },
    late: () => new CapstanError({ code: "TIMED_OUT", what: "jsonnet", afterMs: jsonnetMs }),
  });
  const manifests: GeneratedManifest[] = [];
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const read = files
      .slice(at, at + filesAtOnce)
      .map((file) => readFile(file, context, { budget, signal: limited.signal }));
    for (const found of await Promise.all(read)) manifests.push(...found);
  }
  return { manifests, commands: [] };
}

async function readFile(
  file: SelectedFile,
  context: RenderContext,
  { budget, signal }: { budget: { bytes: number }; signal: AbortSignal },
): Promise<GeneratedManifest[]> {
  if (isJsonnet(file, context)) return (await loadJsonnet()).renderJsonnet(file.path, context, signal);
  if (file.path.endsWith(".jsonnet")) return [];
  const data = await context.tree.read(file.entry);
  budget.bytes += data.length;
  if (budget.bytes > maxBytesTogether) {
    const path = context.path || ".";
    throw new CapstanError({
      code: "TREE_TOO_LARGE",
      path,
      bytes: budget.bytes,
      limitBytes: maxBytesTogether,
    });
  }
  const text = data.toString();
  if (text.includes(skipMark)) return [];
  return file.path.endsWith(".json") ? readJsonFile(text, file.path) : readYamlFile(text, file.path);
}

function isJsonnet({ path }: SelectedFile, { settings }: RenderContext): boolean {
  return path.endsWith(".jsonnet") && !settings.disabledTypes?.includes("Jsonnet");
}
