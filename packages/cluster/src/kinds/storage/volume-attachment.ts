import { volumeAttachmentCells } from "../../schema/tables/storage.ts";
import { validateAttachment } from "../../schema/validation/storage-drivers.ts";
import type { Kind } from "../kind.ts";

export const volumeAttachment: Kind = {
  group: "storage.k8s.io",
  resource: "volumeattachments",
  metadataPasses: { update: 1, whole: 3 },
  versionedUpdates: true,
  keptByStatus: "metadata",
  validate: validateAttachment,
  cells: volumeAttachmentCells,
  deletion: {
    answersObject: true,
  },
};
