import { resolveValueFiles } from "@capstan/charts";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { isCapstanError, parseYaml } from "@capstan/model";
import { followLinks, type RenderContext, type SourceTree, walk } from "@capstan/plugin-kit";

/** What a chart can be told, for a form: nothing of it is a secret that is not in the repository already. */
export interface ChartValues {
  /** Files that look like value files, from the chart's directory. */
  readonly valueFiles: readonly string[];
  /** Text of values.yaml. */
  readonly values: string;
  /** Each value that holds without the source's own parameters, as `--set` names it. */
  readonly parameters: readonly { name: string; value: string }[];
}

const maxBytes = 2 ** 20;
const maxParameters = 2_000;

/** Argo CD: util/helm GetParameters, reposerver findHelmValueFilesInPath. */
export async function readChartValues(context: RenderContext): Promise<ChartValues> {
  const { tree, path, source } = context;
  const values = await readText(tree, joined(path, "values.yaml"));
  const layers = [values, ...(await valueTexts(context))].map(readLayer);
  const { values: text, valuesObject } = source.helm ?? {};
  layers.push(isRecord(valuesObject) ? valuesObject : readLayer(text ?? ""));
  const merged = layers.reduce(merge, {});
  return {
    valueFiles: await findValueFiles(tree, path),
    values,
    parameters: flatten(merged).slice(0, maxParameters),
  };
}

async function valueTexts(context: RenderContext): Promise<string[]> {
  const files = await resolveValueFiles(context).catch((error: unknown) => {
    if (isCapstanError(error)) return [];
    throw error;
  });
  const texts: string[] = [];
  for (const file of files) {
    if (file.kind !== "file") continue;
    const tree = file.ref === undefined ? context.tree : context.refs[file.ref];
    if (tree) texts.push(await readText(tree, file.path));
  }
  return texts;
}

async function readText(tree: SourceTree, path: string): Promise<string> {
  const entry = await followLinks(tree, path);
  if (entry?.kind !== "file" && entry?.kind !== "executable") return "";
  return (await tree.size(entry)) > maxBytes ? "" : (await tree.read(entry)).toString();
}

/** A file that is no YAML is the renderer's to complain of. */
function readLayer(text: string): Record<string, unknown> {
  try {
    const value = parseYaml(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (isCapstanError(error)) return {};
    throw error;
  }
}

/** Maps into each other, all else replaced, null removes (Helm: chartutil CoalesceTables). */
function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const old = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isRecord(old) && isRecord(value) ? merge(old, value) : value;
  }
  return merged;
}

function flatten(value: unknown, name = ""): { name: string; value: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => flatten(item, `${name}[${index}]`));
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => {
      const escaped = key.replace(/[.,\\]/g, (sign) => `\\${sign}`);
      return flatten(item, name === "" ? escaped : `${name}.${escaped}`);
    });
  return name === "" ? [] : [{ name, value: textOf(value) }];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? dumpYaml(value).trim() : String(value);
}

async function findValueFiles(tree: SourceTree, path: string): Promise<string[]> {
  const files = await walk(tree, path);
  return files
    .filter(({ kind, name }) => kind !== "submodule" && /values.*\.ya?ml$/i.test(name))
    .map((file) => (path === "" ? file.path : file.path.slice(path.length + 1)))
    .filter((file) => !/(^|\/)(charts|templates)\//.test(file));
}

function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
