export { type ApiServer, type ApiServerInput, createApiServer } from "./create-api-server.ts";
export {
  adminPasswordHolds,
  type PrepareInput,
  prepareControlNamespace,
} from "./prepare-control-namespace.ts";
export type { ServedPlace } from "./served-place.ts";
