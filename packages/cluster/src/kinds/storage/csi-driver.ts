import { specOf } from "../../registry/kind-rules.ts";
import { prepareCsiDriver } from "../../schema/prepare.ts";
import { csiDriverCells } from "../../schema/tables/storage.ts";
import { validateDriver } from "../../schema/validation/storage-drivers.ts";
import { driverWarnings } from "../../schema/warnings/warnings.ts";
import type { Kind } from "../kind.ts";

export const csiDriver: Kind = {
  group: "storage.k8s.io",
  resource: "csidrivers",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  startsUncounted: true,
  versionedUpdates: true,
  prepare: prepareCsiDriver,
  validate: validateDriver,
  warnings: driverWarnings,
  cells: csiDriverCells,
  deletion: {
    answersObject: true,
  },
};
