import { type ApplicationSource, CapstanError, canonicalJson } from "@capstan/model";
import {
  compileGlob,
  type Discovery,
  type Plugin,
  type RenderContextSettings,
  relativeTo,
  type SourceTree,
  walk,
} from "@capstan/plugin-kit";
import { BoundedMap } from "../cache/bounded-map.ts";

export interface Question {
  tree: SourceTree;
  /** The application's directory. */
  path: string;
  source: ApplicationSource;
  settings: RenderContextSettings;
}

export interface Plugins {
  /** In name order; asked before Helm, Kustomize and Directory. */
  readonly installed: readonly Plugin[];
  readonly helm: Plugin;
  readonly kustomize: Plugin;
  readonly directory: Plugin;
}

const tools = ["helm", "kustomize", "directory", "plugin"] as const;

/** Which plugin renders a source (Argo CD: reposerver GetAppSourceType, util/app/discovery). */
export class PluginChoice {
  readonly #plugins: Plugins;
  /** By plugin set and digest of the directory. */
  readonly #verdicts = new BoundedMap<Plugin>(50_000);

  constructor(plugins: Plugins) {
    this.#plugins = plugins;
  }

  async choose(question: Question): Promise<Plugin> {
    const { source, settings } = question;
    const named = tools.filter((tool) => source[tool] !== undefined && source[tool] !== null);
    if (named.length > 1) throw new CapstanError({ code: "SEVERAL_TOOLS", tools: named });
    const [tool] = named;
    if (tool === "plugin") return this.#choosePlugin(question);
    if (tool !== undefined) return isDisabled(tool, settings) ? this.#plugins.directory : this.#plugins[tool];
    return this.#verdict(question);
  }

  async #choosePlugin(question: Question): Promise<Plugin> {
    const { installed, helm, kustomize, directory } = this.#plugins;
    const name = question.source.plugin?.name ?? "";
    const found =
      name === ""
        ? await this.#discover(question)
        : [...installed, helm, kustomize, directory].find((one) => one.name === name);
    if (found) return found;
    throw new CapstanError({
      code: "PLUGIN_MISSING",
      plugin: name,
      available: installed.map((one) => one.name),
    });
  }

  async #verdict(question: Question): Promise<Plugin> {
    const { installed } = this.#plugins;
    const directory = await question.tree.entry(question.path);
    const configured = installed.map(({ name, discover }) => ({ name, discover }));
    const key = canonicalJson([directory?.digest, configured, question.settings.disabledTypes]);
    const known = this.#verdicts.get(key);
    if (known) return known;
    const verdict = (await this.#discover(question)) ?? (await this.#builtIn(question));
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  async #discover(question: Question): Promise<Plugin | undefined> {
    for (const plugin of this.#plugins.installed)
      if (plugin.discover && (await matches(plugin.discover, question))) return plugin;
    return undefined;
  }

  /** Only the directory itself decides; of several signs the last in byte order. */
  async #builtIn({ tree, path, settings }: Question): Promise<Plugin> {
    let chosen = this.#plugins.directory;
    for (const entry of await tree.list(path)) {
      if (entry.kind === "directory") continue;
      const tool = builtInSign(entry.name);
      if (tool && !isDisabled(tool, settings)) chosen = this.#plugins[tool];
    }
    return chosen;
  }
}

/** The tool whose file this is; a suffix is enough for a chart, as in Argo CD. */
export function builtInSign(name: string): "helm" | "kustomize" | undefined {
  if (name.endsWith("Chart.yaml")) return "helm";
  return name === "kustomization.yaml" || name === "kustomization.yml" || name === "Kustomization"
    ? "kustomize"
    : undefined;
}

function isDisabled(
  tool: "helm" | "kustomize" | "directory",
  { disabledTypes = [] }: RenderContextSettings,
): boolean {
  return (
    (tool === "helm" && disabledTypes.includes("Helm")) ||
    (tool === "kustomize" && disabledTypes.includes("Kustomize"))
  );
}

export async function matches({ fileName, find }: Discovery, { tree, path }: Question): Promise<boolean> {
  const pattern = fileName ?? find?.glob;
  if (pattern === undefined) return false;
  const isMatch = compileGlob(pattern, "path");
  return (await walk(tree, path)).some((entry) => isMatch(relativeTo(path, entry.path)));
}
