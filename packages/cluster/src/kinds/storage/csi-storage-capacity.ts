import { validateCapacity } from "../../schema/validation/storage-drivers.ts";
import type { Kind } from "../kind.ts";

export const csiStorageCapacity: Kind = {
  group: "storage.k8s.io",
  resource: "csistoragecapacities",
  versionedUpdates: true,
  validate: validateCapacity,
};
