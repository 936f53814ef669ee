import { quotaCells } from "../../schema/tables/cluster.ts";
import { validateQuota } from "../../schema/validation/quotas.ts";
import type { Kind } from "../kind.ts";

export const resourceQuota: Kind = {
  group: "",
  resource: "resourcequotas",
  metadataPasses: { update: 2, whole: 3 },
  validate: validateQuota,
  cells: quotaCells,
  deletion: {
    answersObject: true,
  },
};
