import { ipAddressCells } from "../../schema/tables/network.ts";
import { validateIpAddress } from "../../schema/validation/endpoints.ts";
import { address } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

export const ipAddress: Kind = {
  group: "networking.k8s.io",
  resource: "ipaddresses",
  nameSyntax: address,
  validate: validateIpAddress,
  cells: ipAddressCells,
  undeclaredCells: ["Age"],
};
