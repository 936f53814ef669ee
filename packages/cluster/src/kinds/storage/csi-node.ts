import { csiNodeCells } from "../../schema/tables/storage.ts";
import { validateCsiNode } from "../../schema/validation/csi-node.ts";
import type { Kind } from "../kind.ts";

export const csiNode: Kind = {
  group: "storage.k8s.io",
  resource: "csinodes",
  metadataPasses: { update: 1, whole: 3 },
  versionedUpdates: true,
  validate: validateCsiNode,
  cells: csiNodeCells,
  deletion: {
    answersObject: true,
  },
};
