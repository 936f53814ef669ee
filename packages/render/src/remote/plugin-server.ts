import { type Clock, deadline, orAborted } from "@capstan/flow";
import { CapstanError, isCapstanError } from "@capstan/model";
import type { CallOptions } from "@capstan/plugin-kit/grpc";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { openRpc, type Rpc, type RpcSecurity } from "./rpc.ts";
import { isUnimplemented, readRpcFailure } from "./rpc-failure.ts";
import { ServerPace } from "./server-pace.ts";

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
  /** What one call may take: a busy server has as long to say what it serves. */
  timeoutMs: number;
}

/** How long who does not name the plugin waits for what it serves. */
const firstAnswerMs = 5_000;
const laterAnswerMs = 1_000;
/** A definition may change under a running server; a stock server reads its own once. */
const freshMs = 1_000;
const failureMs = 3_000;
/** Calls at once in a server that tells no limit: enough to hide its waiting, few enough not to drown it. */
export const mostAtOnce = 8;

interface Asking {
  readonly since: number;
  readonly answer: Promise<ServerDescription>;
}

/** One process that serves plugins, and a connection that stays open. */
export class PluginServer {
  readonly place: ServerPlace;
  /** Calls of a server that has no queue of its own. */
  readonly pace: ServerPace;
  /** Calls under way, and those that wait for their turn. */
  running = 0;
  /** When it was last chosen among equals. */
  chosenAt = 0;
  /** Others are preferred until then. */
  avoidUntil = 0;
  readonly #options: PluginServerOptions;
  readonly #closing = new AbortController();
  #asking: Asking | undefined;
  #rpc: Promise<Rpc> | undefined;
  #description: ServerDescription | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  constructor(place: ServerPlace, options: PluginServerOptions) {
    this.place = place;
    this.#options = options;
    this.pace = new ServerPace({ ...options, most: mostAtOnce });
  }

  get headers(): Record<string, string> {
    const { token } = this.place;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** What it told last; nothing before it was asked. */
  get known(): ServerDescription | undefined {
    return this.#description;
  }

  /** What a person should know: that it works, or does not answer. */
  get busy(): string | undefined {
    const now = this.#options.clock.now();
    const { running, waiting, since } = this.pace.state;
    const silentMs = this.#asking ? now - this.#asking.since : 0;
    if (silentMs > laterAnswerMs) return this.#silence(silentMs);
    if (since === undefined) return undefined;
    return `busy: ${running} run, the longest for ${secondsOf(now - since)}, and ${waiting} wait`;
  }

  /**
   * What it serves. Where it does not answer any more, what it served: its results in the cache are still good.
   * A server that is there and does not answer is busy: `isNamed` waits for it, as long as a call may take; who only
   * looks round does not, and the question stays asked.
   */
  async describe(
    signal: AbortSignal,
    { isNamed = false }: { isNamed?: boolean } = {},
  ): Promise<ServerDescription> {
    const { clock } = this.#options;
    const age = clock.now() - this.#askedAt;
    const known = this.#description;
    if (known && (known.protocol === "stock" || age < freshMs || (this.#failure && age < failureMs)))
      return known;
    if (this.#failure && age < failureMs) throw this.#failure;
    this.#asking ??= this.#startAsking();
    const { answer, since } = this.#asking;
    if (isNamed && !known) return orAborted(answer, signal);
    const left = Math.max(0, since + (known ? laterAnswerMs : firstAnswerMs) - clock.now());
    const late = () => this.#unreachable(this.#silence(clock.now() - since));
    using limited = deadline({ clock, signal, ms: left, late });
    try {
      return await orAborted(answer, limited.signal);
    } catch (error) {
      if (signal.aborted || !known) throw error;
      return known;
    }
  }

  #silence(ms: number): string {
    return `it is busy: it has not answered for ${secondsOf(ms)}`;
  }

  #unreachable(problem: string): CapstanError {
    const { name: plugin, shown: address } = this.place;
    return new CapstanError({ code: "PLUGIN_UNREACHABLE", plugin, address, problem });
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
    this.#closing.abort(this.#unreachable("it has gone"));
    await this.#closeIdle();
  }

  async #closeIdle(): Promise<void> {
    if (!this.#closing.signal.aborted || this.running > 0) return;
    const rpc = await this.#rpc;
    this.#rpc = undefined;
    rpc?.[Symbol.dispose]();
  }

  /** It goes on when nobody waits for it: the next who asks may find it answered. */
  #startAsking(): Asking {
    const answer = this.#ask(this.#closing.signal);
    answer.catch(() => undefined);
    return { since: this.#options.clock.now(), answer };
  }

  async #ask(signal: AbortSignal): Promise<ServerDescription> {
    const { clock, timeoutMs } = this.#options;
    try {
      const options = { signal, deadline: clock.now() + timeoutMs, headers: this.headers };
      this.#description = await this.call((rpc) => askBoth(rpc, options));
      this.#failure = undefined;
      return this.#description;
    } catch (error) {
      const { name: plugin, shown: address } = this.place;
      const read = readRpcFailure(error, { plugin, address, timeoutMs });
      const failure = isCapstanError(read, "TIMED_OUT") ? this.#unreachable(this.#silence(timeoutMs)) : read;
      if (!signal.aborted) this.#failure = failure;
      throw failure;
    } finally {
      this.#asking = undefined;
      this.#askedAt = clock.now();
    }
  }
}

function secondsOf(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
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
