import { storageClassCells } from "../../schema/tables/storage.ts";
import { validateStorageClass } from "../../schema/validation/storage.ts";
import { standardClass, standardClassKey } from "../../workloads/storage/volumes.ts";
import type { Kind } from "../kind.ts";

export const storageClass: Kind = {
  group: "storage.k8s.io",
  resource: "storageclasses",
  validate: validateStorageClass,
  cells: storageClassCells,
  deletion: {
    answersObject: true,
  },
  simulation: { make: standardClass, firstKeys: [standardClassKey] },
};
