import { hash } from "node:crypto";
import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";
import type { InstalledPlugin, InstalledPlugins } from "./installed-plugin.ts";
import { ownPlugin } from "./own-plugin.ts";
import type { PluginPool } from "./plugin-pool.ts";
import { PluginServer, type ServerDescription, type ServerPlace } from "./plugin-server.ts";
import { readSocketFolder } from "./socket-folder.ts";
import { type RemoteParts, stockPlugin } from "./stock-plugin.ts";

export interface CatalogOptions {
  /** Folder of sidecars' sockets. */
  socketFolder?: string;
  /** In this process. */
  plugins: readonly Plugin[];
  parts: RemoteParts;
}

/** Renders at once in one sidecar: enough to hide its waiting, few enough not to drown it. */
const sidecarConcurrency = 8;

/** Which plugins are installed, looked up anew whenever somebody asks. */
export class PluginCatalog implements AsyncDisposable {
  readonly #options: CatalogOptions;
  readonly #own: readonly InstalledPlugin[];
  /** By address and identity. */
  readonly #servers = new Map<string, PluginServer>();
  /** One object for each plugin as long as it stays the same. */
  readonly #plugins = new Map<string, InstalledPlugin>();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#own = options.plugins.map(inProcess);
  }

  async current(signal: AbortSignal): Promise<InstalledPlugins> {
    const { socketFolder } = this.#options;
    const places = socketFolder === undefined ? [] : await readSocketFolder(socketFolder);
    await this.#closeOthers(places);
    const found = await Promise.all(places.map((place) => this.#ask(this.#server(place), signal)));
    const unreachable = new Map(found.flatMap(({ problem }) => (problem ? [problem] : [])));
    const byName = new Map<string, InstalledPlugin>();
    for (const plugin of [...found.flatMap(({ plugins }) => plugins), ...this.#own])
      if (!byName.has(plugin.name)) byName.set(plugin.name, plugin);
    const plugins = [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    const digest = hash("sha256", JSON.stringify(plugins.map(({ name, identity }) => [name, identity])));
    return { plugins, unreachable, digest };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeOthers([]);
  }

  #server(place: ServerPlace): PluginServer {
    const key = keyOf(place);
    const { clock, limits } = this.#options.parts;
    const server =
      this.#servers.get(key) ?? new PluginServer(place, { clock, maxAnswerBytes: limits.maxOutputBytes });
    this.#servers.set(key, server);
    return server;
  }

  async #closeOthers(places: readonly ServerPlace[]): Promise<void> {
    const wanted = new Set(places.map(keyOf));
    for (const [key, server] of this.#servers) {
      if (wanted.has(key)) continue;
      this.#servers.delete(key);
      await server.close();
    }
  }

  async #ask(
    server: PluginServer,
    signal: AbortSignal,
  ): Promise<{ plugins: readonly InstalledPlugin[]; problem?: [string, CapstanError] }> {
    try {
      return { plugins: this.#pluginsOf(server, await server.describe(signal)) };
    } catch (error) {
      signal.throwIfAborted();
      const { name, shown } = server.place;
      const problem = { code: "PLUGIN_UNREACHABLE", plugin: name, address: shown } as const;
      const failure = isCapstanError(error)
        ? error
        : new CapstanError({ ...problem, problem: messageOf(error) }, error);
      return { plugins: [], problem: [name, failure] };
    }
  }

  #pluginsOf(server: PluginServer, description: ServerDescription): InstalledPlugin[] {
    const { place } = server;
    const pool: PluginPool = { name: place.name, address: place.shown, servers: () => [server] };
    const { parts } = this.#options;
    if (description.protocol === "stock") {
      const { hasDiscovery, wantsCredentials } = description;
      const { name } = place;
      const identity = `stock ${keyOf(place)}`;
      const facts = { name, identity, hasDiscovery, wantsCredentials, concurrency: sidecarConcurrency };
      return [this.#keep(identity, () => stockPlugin(pool, facts, parts))];
    }
    return description.plugins.map((told) => {
      const identity = `own ${keyOf(place)} ${told.name} ${told.version} ${told.digest}`;
      const facts = { told, identity, concurrency: sidecarConcurrency };
      return this.#keep(identity, () => ownPlugin(pool, facts, parts));
    });
  }

  #keep(identity: string, make: () => InstalledPlugin): InstalledPlugin {
    const plugin = this.#plugins.get(identity) ?? make();
    this.#plugins.set(identity, plugin);
    return plugin;
  }
}

function keyOf({ address, identity }: ServerPlace): string {
  return `${address} ${identity}`;
}

function inProcess(plugin: Plugin): InstalledPlugin {
  return {
    ...plugin,
    identity: "",
    hasDiscovery: plugin.discover !== undefined,
    keyedBy: "inputs",
  };
}
