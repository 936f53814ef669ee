import { createRequire } from "node:module";
import type { Dispatcher, Pool, ProxyAgent } from "undici";

const require = createRequire(import.meta.url);

/**
 * Of undici what reaches a cluster. Through its own door come fetch, websockets, caches and mocks too: a hundred modules,
 * and 8 MB of memory in each program that asks a cluster anything.
 */
export function undiciPool(): typeof Pool {
  return require("undici/lib/dispatcher/pool.js");
}

type Request = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

/** For clusters behind a proxy alone; it asks its own pool by what undici's door alone gives to pools. */
export function undiciProxyAgent(): typeof ProxyAgent {
  return require("undici").ProxyAgent;
}

/** A dispatcher's own `request`, which undici's door gives it. */
export function ask(by: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  const request: Request = require("undici/lib/api/api-request.js");
  return request.call(by, options);
}
