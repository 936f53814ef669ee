import { endpointSliceCells } from "../../schema/tables/network.ts";
import { validateEndpointSlice } from "../../schema/validation/endpoints.ts";
import { sliceWarnings } from "../../schema/warnings/warnings.ts";
import { endpointSlices } from "../../workloads/network/endpoint-slices.ts";
import type { Kind } from "../kind.ts";

export const endpointSlice: Kind = {
  group: "discovery.k8s.io",
  resource: "endpointslices",
  metadataPasses: { update: 1, whole: 3 },
  generation: ({ metadata, ...rest }) => ({ ...rest, labels: metadata.labels }),
  validate: validateEndpointSlice,
  warnings: sliceWarnings,
  cells: endpointSliceCells,
  simulation: { make: endpointSlices },
};
