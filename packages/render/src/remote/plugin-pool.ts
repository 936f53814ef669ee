import type { Clock } from "@capstan/flow";
import { CapstanError, messageOf } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import type { PluginServer } from "./plugin-server.ts";
import type { Rpc } from "./rpc.ts";
import { isServersFault, readRpcFailure } from "./rpc-failure.ts";

/** The equal servers of one plugin: a sidecar is the only one of its kind, a Service has as many as replicas. */
export interface PluginPool {
  readonly name: string;
  /** For errors when no server is there. */
  readonly address: string;
  /** Those that are ready now. */
  servers(): readonly PluginServer[];
}

export interface PoolCall {
  plugin: string;
  /** Servers that would do; none told apart: all. */
  suits?(server: PluginServer): boolean;
  timeoutMs: number;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Tells the application's owner that another server had to be asked. */
  note?(text: string): void;
  /** The server has no queue of its own: the call waits for its turn here. */
  isPaced?: boolean;
}

export interface CallLimits {
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline: number;
  headers: Readonly<Record<string, string>>;
  /** For its turn. */
  waitedMs: number;
}

const maxAttempts = 3;
/** How long others are preferred to a server that failed. */
const avoidMs = 10_000;

/**
 * Calls the least busy server, and another one from the start when that one cannot be reached, is lost on the way or
 * answers nonsense: a render has no effect but its answer.
 */
export async function callPool<Value>(
  pool: PluginPool,
  call: PoolCall,
  work: (rpc: Rpc, limits: CallLimits, server: PluginServer) => Promise<Value>,
): Promise<Value> {
  const { plugin, clock, signal, log } = call;
  const lost = new Set<PluginServer>();
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const server = choose(pool, call, lost);
    server.chosenAt = clock.now();
    try {
      return await callServer(server, call, work);
    } catch (failure) {
      if (signal.aborted) throw signal.reason;
      if (!isServersFault(failure)) throw failure;
      server.avoidUntil = clock.now() + avoidMs;
      lost.add(server);
      const others = pool.servers().some((one) => !lost.has(one));
      if (attempt >= maxAttempts || !others) throw failure;
      const address = server.place.shown;
      log.warn({ plugin, address, error: failure }, "a plugin is asked at another endpoint");
      call.note?.(`plugin ${plugin} is asked at another endpoint than ${address}: ${messageOf(failure)}`);
    }
  }
}

/** Its time begins with its turn. */
function callServer<Value>(
  server: PluginServer,
  { plugin, clock, timeoutMs, signal, isPaced = false }: PoolCall,
  work: (rpc: Rpc, limits: CallLimits, server: PluginServer) => Promise<Value>,
): Promise<Value> {
  const { headers, place, pace } = server;
  return server.call((rpc) => {
    const run = async (waitedMs: number): Promise<Value> => {
      const began = clock.now();
      try {
        return await work(rpc, { signal, deadline: began + timeoutMs, headers, waitedMs }, server);
      } catch (error) {
        const spent = { ranMs: clock.now() - began, ...(isPaced ? { waitedMs: Math.round(waitedMs) } : {}) };
        throw readRpcFailure(error, { plugin, address: place.shown, timeoutMs, ...spent });
      }
    };
    return isPaced ? pace.run(run, signal) : run(0);
  });
}

function choose(pool: PluginPool, { suits, clock }: PoolCall, lost: ReadonlySet<PluginServer>): PluginServer {
  const ready = pool.servers().filter((server) => !lost.has(server));
  const now = clock.now();
  const preferences = [
    ready.filter((server) => server.avoidUntil <= now && (suits?.(server) ?? true)),
    ready.filter((server) => suits?.(server) ?? true),
  ];
  const [first, ...others] = preferences.find((servers) => servers.length > 0) ?? ready;
  if (!first) {
    const problem = "it has no ready endpoint";
    throw new CapstanError({ code: "PLUGIN_UNREACHABLE", plugin: pool.name, address: pool.address, problem });
  }
  return others.reduce((best, server) => (isRather(server, best) ? server : best), first);
}

/** The less busy one; of equally busy ones that which has rested longer. */
function isRather(left: PluginServer, right: PluginServer): boolean {
  return left.running === right.running ? left.chosenAt < right.chosenAt : left.running < right.running;
}
