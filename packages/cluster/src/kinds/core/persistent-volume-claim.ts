import { prepareClaim } from "../../schema/prepare.ts";
import { claimCells } from "../../schema/tables/storage.ts";
import { validateClaim } from "../../schema/validation/storage.ts";
import { validateClaimStatus } from "../../schema/validation/storage-status.ts";
import { volumeClaims } from "../../workloads/storage/volume-claims.ts";
import type { Kind } from "../kind.ts";

export const persistentVolumeClaim: Kind = {
  group: "",
  resource: "persistentvolumeclaims",
  newStatus: { phase: "Pending" },
  prepare: prepareClaim,
  validate: validateClaim,
  validateStatus: validateClaimStatus,
  cells: claimCells,
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/pvc-protection",
  simulation: { make: volumeClaims },
};
