import { serviceCidrCells } from "../../schema/tables/network.ts";
import type { Kind } from "../kind.ts";

export const serviceCIDR: Kind = {
  group: "networking.k8s.io",
  resource: "servicecidrs",
  versionedUpdates: true,
  cells: serviceCidrCells,
};
