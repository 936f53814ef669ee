import { BoundedMap, type Clock } from "@capstan/flow";
import { canonicalJson, matchesPath } from "@capstan/formats";
import { compileZglob } from "@capstan/formats/re2";
import { CapstanError, isCapstanError } from "@capstan/model";
import {
  type Discovery,
  type Log,
  type Plugin,
  type RenderContext,
  type RenderContextSettings,
  relativeTo,
  walk,
} from "@capstan/plugin-kit";
import type { InstalledPlugins } from "../remote/installed-plugins.ts";

export interface ChoiceOptions {
  /** Those that a source has a section for; of their names one that is installed is preferred. */
  readonly tools: readonly Plugin[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How long an application stays with a plugin that was found for it and is gone. */
const faithfulMs = 5 * 60_000;

/** Which plugin renders a source (Argo CD: reposerver GetAppSourceType, util/app/discovery). */
export class PluginChoice {
  readonly #options: ChoiceOptions;
  /** Whether rules match, by rule and digest of the directory. */
  readonly #matches = new BoundedMap<boolean>(200_000);
  /** Plugins that were found for an application without being named. */
  readonly #found = new BoundedMap<{ plugin: string; at: number }>(50_000);

  constructor(options: ChoiceOptions) {
    this.#options = options;
  }

  async choose(context: RenderContext, installed: InstalledPlugins, signal: AbortSignal): Promise<Plugin> {
    const { source, settings } = context;
    const asked = this.#options.tools.filter(({ tool }) => tool && isSet(source[tool.section]));
    const isPlugin = isSet(source.plugin);
    const named = [...asked.map(({ tool }) => tool?.section ?? ""), ...(isPlugin ? ["plugin"] : [])];
    if (named.length > 1) throw new CapstanError({ code: "SEVERAL_TOOLS", tools: named });
    if (isPlugin) return this.#choosePlugin(context, installed, signal);
    const [tool] = asked;
    if (tool) return isDisabled(tool, settings) ? this.#plain() : tool;
    return (await this.#discover(context, installed, signal)) ?? this.#bySign(context);
  }

  async #choosePlugin(
    context: RenderContext,
    installed: InstalledPlugins,
    signal: AbortSignal,
  ): Promise<Plugin> {
    const name = context.source.plugin?.name ?? "";
    if (name === "") {
      const found = await this.#discover(context, installed, signal);
      if (found) return found;
      throw missing(name, installed);
    }
    const found = await this.#findNamed(name, installed, signal);
    if (!found) throw missing(name, installed);
    if (found.tool) return found;
    if (hasDiscovery(found) && !(await this.#accepts(found, context, signal))) {
      const problem = `its discovery does not match ${context.path || "the repository's root"}`;
      throw new CapstanError({ code: "PLUGIN_FAILED", plugin: name, problem });
    }
    return found;
  }

  /** One that is busy is waited for. */
  async #findNamed(
    name: string,
    installed: InstalledPlugins,
    signal: AbortSignal,
  ): Promise<Plugin | undefined> {
    const found = findNamed(name, installed.plugins) ?? this.#options.tools.find((one) => one.name === name);
    if (found || !unreachableFor(name, installed)) return found;
    const later = await installed.waitFor(name, signal);
    const problem = unreachableFor(name, later);
    const answered = findNamed(name, later.plugins);
    if (!answered && problem) throw problem;
    return answered;
  }

  /** The first that accepts the source; one that cannot be asked does not stop the others. */
  async #discover(
    context: RenderContext,
    installed: InstalledPlugins,
    signal: AbortSignal,
  ): Promise<Plugin | undefined> {
    const { clock, log } = this.#options;
    const application = canonicalJson([context.source.repoURL, context.path, context.appName]);
    let found: Plugin | undefined;
    const failed = new Map(installed.unreachable);
    for (const plugin of installed.plugins) {
      if (!hasDiscovery(plugin)) continue;
      try {
        if (!(await this.#accepts(plugin, context, signal))) continue;
        found = plugin;
        break;
      } catch (error) {
        if (signal.aborted || !isCapstanError(error)) throw error;
        failed.set(plugin.name, error);
        log.warn({ application: context.appName, plugin: plugin.name, error }, "a plugin was not asked");
      }
    }
    const now = clock.now();
    const before = this.#found.get(application);
    // What cannot be asked now may be the one: another tool's output in its place would prune.
    if (!found && before && now - before.at < faithfulMs && isGone(before.plugin, installed, failed))
      throw failed.get(before.plugin) ?? gone(before.plugin);
    if (found) this.#found.set(application, { plugin: found.name, at: now });
    return found;
  }

  async #accepts(plugin: Plugin, context: RenderContext, signal: AbortSignal): Promise<boolean> {
    if (!plugin.discover) return (await plugin.matches?.(context, signal)) ?? false;
    const directory = await context.tree.entry(context.path);
    const key = canonicalJson([plugin.discover, directory?.digest]);
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    const verdict = await matchesRules(plugin.discover, context);
    this.#matches.set(key, verdict);
    return verdict;
  }

  /** Only the directory itself decides; of several signs the last in byte order. */
  async #bySign({ tree, path, settings }: RenderContext): Promise<Plugin> {
    let chosen: Plugin | undefined;
    for (const entry of await tree.list(path)) {
      if (entry.kind === "directory") continue;
      const tool = toolOf(entry.name, this.#options.tools);
      if (tool && !isDisabled(tool, settings)) chosen = tool;
    }
    return chosen ?? this.#plain();
  }

  /** Whatever is no other tool's. */
  #plain(): Plugin {
    const plain = this.#options.tools.find(({ tool }) => tool && !tool.isSign);
    if (plain) return plain;
    throw new CapstanError({ code: "PLUGIN_MISSING", plugin: "directory", available: [] });
  }
}

/** By the whole name, as Argo CD does; else by the name without version where only one has it. */
function findNamed(name: string, plugins: readonly Plugin[]): Plugin | undefined {
  const whole = plugins.find((plugin) => plugin.name === name);
  if (whole) return whole;
  const [plain, another] = plugins.filter((plugin) => plugin.plainName === name);
  return another ? undefined : plain;
}

/** What cannot be asked tells no version: it may be this one's. */
function unreachableFor(name: string, { unreachable }: InstalledPlugins): CapstanError | undefined {
  const plain = [...unreachable.keys()].find((known) => name.startsWith(`${known}-`));
  return unreachable.get(name) ?? (plain === undefined ? undefined : unreachable.get(plain));
}

function missing(plugin: string, { plugins, unreachable }: InstalledPlugins): CapstanError {
  const available = [...plugins.map(({ name }) => name), ...unreachable.keys()];
  return new CapstanError({ code: "PLUGIN_MISSING", plugin, available });
}

function isGone(
  plugin: string,
  { plugins }: InstalledPlugins,
  failed: ReadonlyMap<string, CapstanError>,
): boolean {
  return failed.has(plugin) || !plugins.some(({ name }) => name === plugin);
}

function gone(plugin: string): CapstanError {
  const problem = "it rendered this application and is gone. Start it again, or name a tool in spec.source";
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem });
}

/** The tool whose directory a file of this name makes its own. */
export function toolOf(fileName: string, tools: readonly Plugin[]): Plugin | undefined {
  return tools.find(({ tool }) => tool?.isSign?.(fileName));
}

/** Whether a source without a plugin's name may be its own. */
export function hasDiscovery({ discover, matches }: Plugin): boolean {
  return discover !== undefined || matches !== undefined;
}

function isDisabled({ tool }: Plugin, { disabledTypes = [] }: RenderContextSettings): boolean {
  return disabledTypes.some((type) => type === tool?.type);
}

const isSet = (section: unknown): boolean => section !== undefined && section !== null;

/** Whether a discovery by file names accepts a directory. */
export async function matchesRules(
  { fileName, find }: Discovery,
  { tree, path }: Pick<RenderContext, "tree" | "path">,
): Promise<boolean> {
  const isMatch =
    fileName !== undefined
      ? (path: string) => matchesPath(fileName, path)
      : find?.glob && compileZglob(find.glob);
  if (!isMatch) return false;
  return (await walk(tree, path)).some((entry) => isMatch(relativeTo(path, entry.path)));
}
