export { type ApiServer, createApiServer } from "./create-api-server.ts";
export { adminPasswordHolds, prepareControlNamespace } from "./prepare-control-namespace.ts";
export type { ServedPlace } from "./served-place.ts";
