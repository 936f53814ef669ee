import { datedPhase } from "../../admission/volume-phase.ts";
import { defaultPersistentVolume } from "../../schema/defaulting/storage.ts";
import { volumeCells } from "../../schema/tables/storage.ts";
import { validateVolume } from "../../schema/validation/persistent-volume.ts";
import { volumeStatus } from "../../schema/validation/status.ts";
import { volumeWarnings } from "../../schema/warnings/warnings.ts";
import { volumes } from "../../workloads/storage/volumes.ts";
import type { Kind } from "../kind.ts";

export const persistentVolume: Kind = {
  group: "",
  resource: "persistentvolumes",
  metadataPasses: { update: 1, whole: 4 },
  newStatus: { phase: "Pending" },
  defaults: {
    "io.k8s.api.core.v1.PersistentVolume": defaultPersistentVolume,
  },
  validate: validateVolume,
  validateStatus: volumeStatus,
  warnings: volumeWarnings,
  cells: volumeCells,
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/pv-protection",
  hook: ({ clock }) => ({ admit: (volume, previous) => datedPhase(volume, previous, clock) }),
  simulation: { make: volumes },
};
