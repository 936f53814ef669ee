import { CapstanError } from "@capstan/model";
import {
  definePlugin,
  type Generated,
  type GeneratedManifest,
  type Inputs,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { readJsonFile, readYamlFile } from "./read-file.ts";
import { jsonnetInputs, renderJsonnet } from "./run-jsonnet.ts";
import { type SelectedFile, selectFiles } from "./select-files.ts";

/** Argo CD's --max-combined-directory-manifests-size. */
const maxBytesTogether = 10 * 2 ** 20;
const skipMark = "+argocd:skip-file-rendering";

/** Plain YAML, JSON and jsonnet files, as Argo CD's Directory source reads them. */
export const directory = definePlugin({ name: "directory", sourceType: "Directory", inputs, generate });

async function inputs(context: RenderContext): Promise<Inputs> {
  const files = await selectFiles(context);
  const options = context.source.directory?.disableExtensionFilter ?? false;
  const programs = files.filter((file) => isJsonnet(file, context));
  const read = await Promise.all(programs.map(({ path }) => jsonnetInputs(path, context)));
  const paths = files.flatMap(({ path, entry }) => [path, entry.path]);
  const facts = { options, programs: read.map((one) => one.facts) };
  return { paths: [...paths, ...read.flatMap((one) => one.paths)], refs: {}, facts };
}

async function generate(context: RenderContext, stage: Stage): Promise<Generated> {
  const manifests: GeneratedManifest[] = [];
  let bytesTogether = 0;
  for (const file of await selectFiles(context)) {
    if (isJsonnet(file, context)) {
      manifests.push(...(await renderJsonnet(file.path, context, stage.signal)));
      continue;
    }
    if (file.path.endsWith(".jsonnet")) continue;
    const data = await context.tree.read(file.entry);
    bytesTogether += data.length;
    if (bytesTogether > maxBytesTogether)
      throw new CapstanError({
        code: "TREE_TOO_LARGE",
        path: context.path || ".",
        bytes: bytesTogether,
        limitBytes: maxBytesTogether,
      });
    const text = data.toString();
    if (text.includes(skipMark)) continue;
    const read = file.path.endsWith(".json") ? readJsonFile : readYamlFile;
    manifests.push(...read(text, file.path));
  }
  return { manifests, commands: [] };
}

function isJsonnet({ path }: SelectedFile, { settings }: RenderContext): boolean {
  return path.endsWith(".jsonnet") && !settings.disabledTypes?.includes("Jsonnet");
}
