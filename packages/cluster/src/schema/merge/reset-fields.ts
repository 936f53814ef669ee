import type { ResolvedSchema } from "../resolved-schema.ts";
import type { Comparison } from "./compare.ts";
import { FieldSet, outsideOf } from "./field-set.ts";

/** What requests to an endpoint of the kind cannot set, hence not own: the strategies' GetResetFields. */
export interface OwnershipRules {
  /** What of metadata a write to /status leaves as it was: all of it, or these fields. Usually ownerReferences. */
  readonly keptByStatus?: "metadata" | readonly string[];
  /** The specification belongs to nobody. */
  readonly ownsNoSpec?: true;
}

const nothing = new FieldSet();

const statusFields = new FieldSet().insert(["f:status"]);

const specFields = new FieldSet().insert(["f:spec"]);

const specAndMetadata = new FieldSet().insert(["f:spec"]).insert(["f:metadata"]);

const specAndLabels = new FieldSet().insert(["f:spec"]).insert(["f:metadata", "f:labels"]);

const specAndStatus = new FieldSet().insert(["f:spec"]).insert(["f:status"]);

interface Resetting {
  schema: ResolvedSchema;
  rules?: OwnershipRules;
  subresource?: string;
}

export function resetFields({ schema, rules = {}, subresource = "" }: Resetting): FieldSet {
  const { keptByStatus, ownsNoSpec } = rules;
  if (subresource === "status") {
    if (keptByStatus === "metadata") return specAndMetadata;
    return keptByStatus?.includes("labels") ? specAndLabels : specFields;
  }
  if (!schema.hasStatus || subresource !== "") return nothing;
  return ownsNoSpec ? specAndStatus : statusFields;
}

export function filtered(compared: Comparison, reset: FieldSet): Comparison {
  if (reset === nothing) return compared;
  return {
    ...compared,
    added: outsideOf(compared.added, reset),
    modified: outsideOf(compared.modified, reset),
    removed: outsideOf(compared.removed, reset),
  };
}
