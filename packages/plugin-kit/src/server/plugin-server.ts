import { isCapstanError, messageOf } from "@capstan/model";
import type { ServedPlugin } from "../served-plugin.ts";
import { type Listener, type ListenerSettings, listen } from "./grpc-listener.ts";

export interface PlacedPlugin {
  readonly plugin: ServedPlugin;
  /** unix:///path, host:port or :port; plugins of one address share it. */
  readonly address: string;
}

/** Listeners for a set of plugins that may change while they run. */
export class PluginServer implements AsyncDisposable {
  readonly #settings: ListenerSettings;
  readonly #listeners = new Map<string, Listener>();
  #plugins: readonly PlacedPlugin[] = [];

  private constructor(settings: ListenerSettings) {
    this.#settings = settings;
  }

  static async start(plugins: readonly PlacedPlugin[], settings: ListenerSettings): Promise<PluginServer> {
    await using opened = new AsyncDisposableStack();
    const server = opened.use(new PluginServer(settings));
    await server.replace(plugins);
    opened.move();
    return server;
  }

  get addresses(): string[] {
    return [...this.#listeners.values()].map(({ address }) => address);
  }

  /** Opens addresses that are new and closes those that nobody uses any more; others go on, with the new plugins. */
  async replace(plugins: readonly PlacedPlugin[]): Promise<void> {
    const wanted = new Set(plugins.map(({ address }) => address));
    for (const address of wanted) {
      if (this.#listeners.has(address)) continue;
      const here = () => this.#plugins.filter((one) => one.address === address).map(({ plugin }) => plugin);
      this.#listeners.set(address, await this.#open(address, here));
    }
    this.#plugins = plugins;
    for (const [address, listener] of this.#listeners) {
      if (wanted.has(address)) continue;
      this.#listeners.delete(address);
      await listener[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of this.#listeners.values()) await listener[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  async #open(address: string, plugins: () => readonly ServedPlugin[]): Promise<Listener> {
    try {
      return await listen(address, plugins, this.#settings);
    } catch (error) {
      if (isCapstanError(error)) throw error;
      throw new Error(`cannot listen on ${address}: ${messageOf(error)}`, { cause: error });
    }
  }
}
