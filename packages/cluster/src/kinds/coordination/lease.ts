import { prepareLease } from "../../schema/prepare.ts";
import { leaseCells } from "../../schema/tables/cluster.ts";
import { validateLease } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const lease: Kind = {
  group: "coordination.k8s.io",
  resource: "leases",
  metadataPasses: { update: 2, whole: 3 },
  isGenerallyValidated: true,
  createOnUpdate: true,
  versionedUpdates: true,
  prepare: prepareLease,
  validate: validateLease,
  cells: leaseCells,
};
