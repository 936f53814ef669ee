/** Files of undici that its package has no types for. */
declare module "undici/lib/dispatcher/pool.js" {
  const pool: typeof import("undici").Pool;
  export default pool;
}

declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";

  const request: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  export default request;
}
