import type { Dispatcher, Pool, ProxyAgent } from "undici";
import { endStrayStreams } from "./stray-streams.ts";

type Request = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

/** What of undici reaches a cluster; the agent only where one is reached through a proxy. */
export interface UndiciPools {
  readonly Pool: typeof Pool;
  readonly ProxyAgent: typeof ProxyAgent | undefined;
  /** A dispatcher's own `request`, which undici's door gives it. */
  readonly request: Request;
}

let pools: Promise<UndiciPools> | undefined;
let poolsAndAgent: Promise<UndiciPools> | undefined;

/**
 * Through undici's own door come fetch, websockets, caches and mocks too: a hundred modules, and 8 MB of memory in each
 * program that asks a cluster anything. Written as imports, so that a bundle of the command line has them in it.
 */
export function loadPools(hasProxy: boolean): Promise<UndiciPools> {
  if (hasProxy) {
    poolsAndAgent ??= loadWhole();
    return poolsAndAgent;
  }
  pools ??= loadParts();
  return pools;
}

async function loadParts(): Promise<UndiciPools> {
  endStrayStreams();
  const [{ default: Pool }, { default: request }] = await Promise.all([
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/api/api-request.js"),
  ]);
  return { Pool, ProxyAgent: undefined, request };
}

/** The agent asks its own pool by what undici's door alone gives to pools. */
async function loadWhole(): Promise<UndiciPools> {
  const [parts, { ProxyAgent }] = await Promise.all([loadParts(), import("undici")]);
  return { ...parts, ProxyAgent };
}
