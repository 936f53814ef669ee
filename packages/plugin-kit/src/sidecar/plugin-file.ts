import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { canonicalJson, isRecord } from "@capstan/formats";
import {
  argoApiVersion,
  CapstanError,
  type ConfigManagementPlugin,
  describeProblem,
  mistakesOf,
  type PluginCommand,
  parseYamlDocuments,
  readConfigManagementPlugin,
  validateConfigManagementPlugin,
  warningsOf,
  withLines,
} from "@capstan/model";

export interface PluginFile {
  readonly file: string;
  readonly config: ConfigManagementPlugin;
  /** What is odd but not wrong, one a line. */
  readonly warnings: readonly string[];
}

const maxFileBytes = 2 ** 20;
const pluginFileName = "plugin.yaml";

/**
 * The plugins of a configuration directory: every YAML file of kind ConfigManagementPlugin, and the plugin.yaml of each
 * folder in it. `mayLack`: none is no error.
 */
export async function readPluginFiles(directory: string, { mayLack = false } = {}): Promise<PluginFile[]> {
  const all = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new CapstanError({ code: "FILE_MISSING", file: directory, neededBy: "the plugin server" }, error);
  });
  const seen = all.filter(({ name }) => !name.startsWith("."));
  const names = seen
    .filter((item) => /\.ya?ml$/.test(item.name) && !item.isDirectory())
    .map(({ name }) => name);
  for (const item of seen)
    if (item.isDirectory() && (await isFile(join(directory, item.name, pluginFileName))))
      names.push(join(item.name, pluginFileName));
  const found: PluginFile[] = [];
  for (const name of names.toSorted()) found.push(...(await readPluginFile(join(directory, name))));
  if (found.length === 0 && !mayLack)
    throw new CapstanError({
      code: "FILE_MISSING",
      file: join(directory, pluginFileName),
      neededBy: "the plugin server: put a ConfigManagementPlugin there",
    });
  return found;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // none
  return found?.isFile() === true;
}

export async function readPluginFile(file: string): Promise<PluginFile[]> {
  const { size } = await stat(file);
  if (size > maxFileBytes)
    throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes: size, limitBytes: maxFileBytes });
  const text = await readFile(file, "utf8");
  return parseYamlDocuments(text, { file }).map(({ value, document }) =>
    readPlugin(value, { file, text, document }),
  );
}

/** Argo CD does not look at apiVersion, so that it may be absent (cmpserver/plugin/config.go). */
function readPlugin(
  value: unknown,
  { file, text, document }: { file: string; text: string; document: number },
): PluginFile {
  const whole = isRecord(value) ? { apiVersion: argoApiVersion, ...value } : value;
  const problems = withLines(validateConfigManagementPlugin(whole), text, document);
  const errors = mistakesOf(problems);
  const what = document > 1 ? `${file}, document ${document}` : file;
  if (errors.length > 0) throw new CapstanError({ code: "INVALID_SPEC", what, problems: errors });
  const warnings = warningsOf(problems).map(describeProblem);
  return { file, config: readConfigManagementPlugin(whole), warnings };
}

/**
 * Changes with the configuration and with the programs and scripts that it names by their whole paths; where it is
 * served changes nothing.
 */
export async function digestPlugin({ metadata, spec }: ConfigManagementPlugin): Promise<string> {
  const commands = [spec.init, spec.generate, spec.transform, spec.discover?.find, spec.parameters?.dynamic];
  const programs: string[] = [];
  for (const word of new Set(commands.flatMap(wordsOf))) {
    const found = isAbsolute(word) ? await stat(word).catch(() => undefined) : undefined;
    if (found?.isFile() === true) programs.push(`${word} ${found.size} ${found.mtimeMs}`);
  }
  const { listenAddress: _served, ...same } = spec;
  return hash("sha256", canonicalJson({ name: metadata.name, spec: same, programs }), "hex");
}

function wordsOf(command: PluginCommand | undefined): string[] {
  return [...(command?.command ?? []), ...(command?.args ?? [])];
}
