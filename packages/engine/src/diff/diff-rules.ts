import type { Manifest, ResourceIgnoreDifferences } from "@capstan/model";

/** What decides which differences count: of the application and of the system's settings. */
export interface DiffRules {
  /** The application's list, followed by the system's (`resource.customizations.ignoreDifferences.*`). */
  ignoreDifferences: readonly ResourceIgnoreDifferences[];
  /** `ignoreResourceStatusField`. */
  ignoreStatus: "all" | "crd" | "none";
  ignoreAggregatedRoles: boolean;
  /** Fields of custom kinds that are written as Kubernetes' own types are: 0.5 of a CPU is 500m. */
  knownTypeFields?: readonly KnownTypeField[];
  /** The manifest without what jq expressions name; the engine has no jq of its own. */
  deleteByJq?: (manifest: Manifest, expressions: readonly string[]) => unknown;
  /** Our field managers, when they are not the default. */
  managers?: ReadonlySet<string>;
}

export interface KnownTypeField {
  readonly group: string;
  readonly kind: string;
  readonly field: readonly string[];
  /** core/v1/PodSpec, core/Quantity, meta/v1/Duration. */
  readonly type: string;
}

export const defaultDiffRules: DiffRules = {
  ignoreDifferences: [],
  ignoreStatus: "all",
  ignoreAggregatedRoles: false,
};

/** One field that differs. */
export interface FieldDiff {
  /** spec.template.spec.containers[name=web].image */
  path: string;
  desired: unknown;
  live: unknown;
}

/**
 * "doubt": the values alone do not tell; a server-side dry run does. Without one, a doubt counts as modified.
 */
export interface DiffResult {
  verdict: "same" | "modified" | "doubt";
  fields: FieldDiff[];
  /** Nobody had the right to ask the server: a doubt that counts as modified. */
  isOpen?: true;
}
