import { type Clock, SharedCalls } from "@capstan/flow";
import type { CallOptions } from "@capstan/plugin-kit/grpc";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { openRpc, type Rpc, type RpcSecurity } from "./rpc.ts";
import { isUnimplemented, readRpcFailure } from "./rpc-failure.ts";

/** Where a plugin server listens. */
export interface ServerPlace extends RpcSecurity {
  /** By which people know it: the socket's name without its ending, or the Service's. */
  readonly name: string;
  /** As gRPC takes it. */
  readonly address: string;
  /** For errors. */
  readonly shown: string;
  /** Changes when another process takes the place: part of the identity of a stock plugin, which tells none. */
  readonly identity: string;
  /** For servers that ask callers for one. */
  readonly token?: string;
}

export type ServerDescription =
  | { readonly protocol: "stock"; readonly hasDiscovery: boolean; readonly wantsCredentials: boolean }
  | { readonly protocol: "own"; readonly plugins: readonly pluginV1.Plugin[] };

export interface PluginServerOptions {
  clock: Clock;
  maxAnswerBytes: number;
}

const firstAnswerMs = 5_000;
const laterAnswerMs = 1_000;
/** A definition may change under a running server; a stock server reads its own once. */
const freshMs = 1_000;
const failureMs = 3_000;

/** One process that serves plugins, and a connection that stays open. */
export class PluginServer {
  readonly place: ServerPlace;
  /** Calls under way. */
  running = 0;
  /** When it was last chosen among equals. */
  chosenAt = 0;
  /** Others are preferred until then. */
  avoidUntil = 0;
  readonly #options: PluginServerOptions;
  readonly #asking = new SharedCalls<ServerDescription>();
  #rpc: Promise<Rpc> | undefined;
  #description: ServerDescription | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #isClosing = false;

  constructor(place: ServerPlace, options: PluginServerOptions) {
    this.place = place;
    this.#options = options;
  }

  get headers(): Record<string, string> {
    const { token } = this.place;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** What it told last; nothing before it was asked. */
  get known(): ServerDescription | undefined {
    return this.#description;
  }

  /** What it serves. Where it does not answer any more, what it served: its results in the cache are still good. */
  async describe(signal: AbortSignal): Promise<ServerDescription> {
    const age = this.#options.clock.now() - this.#askedAt;
    const known = this.#description;
    if (known && (known.protocol === "stock" || age < freshMs || (this.#failure && age < failureMs)))
      return known;
    if (this.#failure && age < failureMs) throw this.#failure;
    try {
      return await this.#asking.join("describe", (inner) => this.#ask(inner), signal);
    } catch (error) {
      if (signal.aborted || !this.#description) throw error;
      return this.#description;
    }
  }

  /** Runs a call, counted; a server that has gone is closed after its last. */
  async call<Value>(work: (rpc: Rpc) => Promise<Value>): Promise<Value> {
    this.running++;
    try {
      this.#rpc ??= this.#open();
      return await work(await this.#rpc);
    } finally {
      this.running--;
      await this.#closeIdle();
    }
  }

  async #open(): Promise<Rpc> {
    try {
      return await openRpc({ ...this.place, ...this.#options });
    } catch (error) {
      this.#rpc = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#closeIdle();
  }

  async #closeIdle(): Promise<void> {
    if (!this.#isClosing || this.running > 0) return;
    const rpc = await this.#rpc;
    this.#rpc = undefined;
    rpc?.[Symbol.dispose]();
  }

  async #ask(signal: AbortSignal): Promise<ServerDescription> {
    const { clock } = this.#options;
    const timeoutMs = this.#description ? laterAnswerMs : firstAnswerMs;
    try {
      const options = { signal, deadline: clock.now() + timeoutMs, headers: this.headers };
      this.#description = await this.call((rpc) => askBoth(rpc, options));
      this.#failure = undefined;
      return this.#description;
    } catch (error) {
      const { name: plugin, shown: address } = this.place;
      const failure = readRpcFailure(error, { plugin, address, timeoutMs });
      if (!signal.aborted) this.#failure = failure;
      throw failure;
    } finally {
      this.#askedAt = clock.now();
    }
  }
}

async function askBoth({ own, stock }: Rpc, options: CallOptions): Promise<ServerDescription> {
  try {
    const { plugins } = await own.describe({}, options);
    return { protocol: "own", plugins };
  } catch (error) {
    if (!isUnimplemented(error)) throw error;
  }
  const { isDiscoveryConfigured, provideGitCreds } = await stock.checkPluginConfiguration({}, options);
  return { protocol: "stock", hasDiscovery: isDiscoveryConfigured, wantsCredentials: provideGitCreds };
}
