import { volumeAttributesClassCells } from "../../schema/tables/storage.ts";
import { validateAttributesClass } from "../../schema/validation/storage-drivers.ts";
import type { Kind } from "../kind.ts";

export const volumeAttributesClass: Kind = {
  group: "storage.k8s.io",
  resource: "volumeattributesclasses",
  validate: validateAttributesClass,
  cells: volumeAttributesClassCells,
  deletion: {
    answersObject: true,
  },
  protection: "kubernetes.io/vac-protection",
};
