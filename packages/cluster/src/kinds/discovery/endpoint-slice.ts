import { listAt, textAt, valueAt } from "../../schema/json.ts";
import { firstThree, text } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";
import { endpointSlices } from "../../workloads/network/endpoint-slices.ts";
import type { Kind } from "../kind.ts";
import { validateEndpointSlice } from "./endpoint-slice-validation.ts";

export const endpointSlice: Kind = {
  group: "discovery.k8s.io",
  resource: "endpointslices",
  metadataPasses: { update: 1, whole: 3 },
  generation: ({ metadata, ...rest }) => ({ ...rest, labels: metadata.labels }),
  validate: validateEndpointSlice,
  warnings: sliceWarnings,
  cells: {
    AddressType: text("addressType"),
    Ports: (object) =>
      firstThree(
        listAt(object, "ports").map((port) => `${valueAt(port, "port") ?? (textAt(port, "name") || "*")}`),
      ),
    Endpoints: (object) =>
      firstThree(
        listAt(object, "endpoints").flatMap((endpoint) => listAt(endpoint, "addresses").map(String)),
      ),
  },
  simulation: { make: endpointSlices },
};

function sliceWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  const isNamed = previous === undefined && object.addressType === "FQDN";
  return isNamed ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
}
