import { listAt } from "../../schema/json.ts";
import type { Kind } from "../kind.ts";

export const serviceCIDR: Kind = {
  group: "networking.k8s.io",
  resource: "servicecidrs",
  versionedUpdates: true,
  cells: { CIDRs: (object) => listAt(object, "spec", "cidrs").join(",") },
};
