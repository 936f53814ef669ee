import { randomUUID } from "node:crypto";
import { defaultLimitRangeItem } from "../../schema/defaulting/storage.ts";
import { validateLimitRange } from "../../schema/validation/limits.ts";
import type { Kind } from "../kind.ts";

export const limitRange: Kind = {
  group: "",
  resource: "limitranges",
  namesItself: randomUUID,
  metadataPasses: { update: 1, whole: 3 },
  createOnUpdate: true,
  defaults: {
    "io.k8s.api.core.v1.LimitRangeItem": defaultLimitRangeItem,
  },
  validate: validateLimitRange,
};
