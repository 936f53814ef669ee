import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CapstanError } from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";
import type { PluginService, PluginServiceAccess } from "@capstan/wire";
import type { InstalledPlugins } from "./installed-plugins.ts";
import { type GroupPlace, PluginGroup, serviceGroup, sidecarGroup } from "./plugin-group.ts";
import { SocketFolder } from "./socket-folder.ts";
import type { RemoteParts } from "./stock-plugin.ts";

export interface CatalogOptions {
  /** Folders of sidecars' sockets; an earlier one's plugin is preferred. */
  socketFolders?: readonly string[];
  /** Plugins that run as Services, as they are now. */
  services?(): readonly PluginService[];
  /** What Services may ask of their callers, and who vouches for them, as it is now. */
  access?(): PluginServiceAccess;
  /** In this process, without those that a source has a section for. */
  plugins: readonly Plugin[];
  parts: RemoteParts;
}

const maxProblems = 1_000;

/** Which plugins are installed, looked up anew whenever somebody asks. */
export class PluginCatalog implements AsyncDisposable {
  readonly #options: CatalogOptions;
  readonly #socketFolders: readonly SocketFolder[];
  readonly #groups = new Map<string, PluginGroup>();
  readonly #warned = new Set<string>();
  readonly #problems = new Map<string, string>();
  #lookingUp: Promise<readonly PluginGroup[]> | undefined;
  /** What is installed where nothing but this process has plugins: it does not change. */
  #alone: InstalledPlugins | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { socketFolders = [], parts } = options;
    this.#socketFolders = socketFolders.map((folder) => new SocketFolder(folder, parts.clock));
  }

  /** Of equal names that in this process holds, then a sidecar's, then a Service's. */
  async current(signal: AbortSignal): Promise<InstalledPlugins> {
    const groups = await this.#installed();
    if (groups.length > 0) return this.#merge(groups, signal);
    this.#alone ??= await this.#merge([], signal);
    return this.#alone;
  }

  async #merge(groups: readonly PluginGroup[], signal: AbortSignal): Promise<InstalledPlugins> {
    const answers = await Promise.all(groups.map((group) => group.ask(signal)));
    const unreachable = new Map<string, CapstanError>();
    const busy = new Map<string, string>();
    const byName = new Map(this.#options.plugins.map((plugin) => [plugin.name, plugin]));
    for (const [index, { plugins, problem }] of answers.entries()) {
      const group = groups[index];
      const { stockName, shown } = group?.place ?? { stockName: "", shown: "" };
      if (problem) unreachable.set(stockName, problem);
      this.#tellOf(stockName, problem);
      for (const { name } of group?.busy === undefined ? [] : plugins) busy.set(name, group?.busy ?? "");
      for (const plugin of plugins) {
        if (byName.has(plugin.name)) this.#warnOfEqual(plugin.name, shown);
        else byName.set(plugin.name, plugin);
      }
    }
    const plugins = [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    const digest = hash("sha256", JSON.stringify(plugins.map(({ name, identity = "" }) => [name, identity])));
    const waitFor = (name: string, waiting: AbortSignal) => this.#waitFor(name, groups, waiting);
    return { plugins, unreachable, busy, digest, waitFor };
  }

  /** By the name that sources use, which may have a version that only the plugin itself tells. */
  async #waitFor(
    name: string,
    groups: readonly PluginGroup[],
    signal: AbortSignal,
  ): Promise<InstalledPlugins> {
    const meant = groups.filter(({ place }) => `${name}-`.startsWith(`${place.stockName}-`));
    await Promise.all(meant.map((group) => group.ask(signal, { isNamed: true })));
    return this.current(signal);
  }

  /** Once for each way in which a plugin cannot be asked, and once when it can again. */
  #tellOf(plugin: string, problem: CapstanError | undefined): void {
    const { log } = this.#options.parts;
    // How long it has not answered changes with each look.
    const text = problem?.message.replace(/\d+ s\b/g, "");
    if (this.#problems.get(plugin) === text) return;
    if (problem === undefined) {
      this.#problems.delete(plugin);
      log.info({ plugin }, "a plugin can be asked again");
      return;
    }
    if (this.#problems.size < maxProblems) this.#problems.set(plugin, text ?? "");
    log.warn({ plugin, error: problem }, "a plugin cannot be asked");
  }

  /** Looked up once for all who ask in one turn: it begins when they all have asked. */
  #installed(): Promise<readonly PluginGroup[]> {
    this.#lookingUp ??= nextTurn().then(async () => {
      this.#lookingUp = undefined;
      return this.#open(await this.#places());
    });
    return this.#lookingUp;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open([]);
  }

  async #places(): Promise<GroupPlace[]> {
    const { services, access } = this.#options;
    const found = (await Promise.all(this.#socketFolders.map((folder) => folder.read()))).flat();
    const names = found.map(({ name }) => name);
    const sidecars = found.filter(({ name }, index) => names.indexOf(name) === index);
    const now = access?.();
    return [...sidecars.map(sidecarGroup), ...(services?.() ?? []).map((one) => serviceGroup(one, now))];
  }

  async #open(places: readonly GroupPlace[]): Promise<PluginGroup[]> {
    const wanted = new Set(places.map(keyOf));
    for (const [key, group] of this.#groups) {
      if (wanted.has(key)) continue;
      this.#groups.delete(key);
      await group.close();
    }
    const groups: PluginGroup[] = [];
    for (const place of places) {
      const group = this.#groups.get(keyOf(place)) ?? new PluginGroup(place, this.#options.parts);
      this.#groups.set(keyOf(place), group);
      await group.update(place);
      groups.push(group);
    }
    return groups;
  }

  #warnOfEqual(plugin: string, address: string): void {
    const key = `${plugin} ${address}`;
    if (this.#warned.has(key) || this.#warned.size > 1_000) return;
    this.#warned.add(key);
    this.#options.parts.log.warn({ plugin, address }, "another plugin has this name: this one is not used");
  }
}

function keyOf({ kind, name }: GroupPlace): string {
  return `${kind} ${name}`;
}
