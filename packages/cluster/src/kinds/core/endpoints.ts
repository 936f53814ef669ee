import { endpointsCells } from "../../schema/tables/network.ts";
import { validateEndpoints } from "../../schema/validation/endpoints.ts";
import type { Kind } from "../kind.ts";

export const endpoints: Kind = {
  group: "",
  resource: "endpoints",
  storageKey: "services/endpoints",
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  createOnUpdate: true,
  validate: validateEndpoints,
  cells: endpointsCells,
};
