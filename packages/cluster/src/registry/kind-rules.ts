import type { ConditionalDefault } from "../schema/defaults.ts";
import type { OwnershipRules } from "../schema/merge/reset-fields.ts";
import type { TableRules } from "../schema/table.ts";
import type { MetadataRules } from "../schema/validation/metadata.ts";
import type { Report } from "../schema/validation/report.ts";
import type { TypeRules } from "../schema/validation/types.ts";
import type { WarningRules } from "../schema/warnings.ts";
import type { User } from "../security/user.ts";
import type { KubeObject } from "../types.ts";
import type { Computed } from "./computed.ts";
import type { FieldReader } from "./selectable-fields.ts";

/**
 * What kube-apiserver decides for one kind: its strategy (pkg/registry/<group>/<kind>/strategy.go), validation,
 * conversion and printer. What is left out is as with most kinds.
 */
export interface KindRules extends MetadataRules, TypeRules, OwnershipRules, TableRules, WarningRules {
  /** Beside what its types and its metadata tell. */
  readonly validate?: ValidationRule;
  /** What a write to /status is asked for, in place of all else. */
  readonly validateStatus?: ValidationRule;
  /** `validate` says all that the types tell too. */
  readonly checksItsTypes?: true;
  /** The part of an object whose changes metadata.generation counts; absent where it counts none. */
  readonly generation?: (object: KubeObject) => unknown;
  /** A new object's generation is not written. Usually it is 1. */
  readonly startsUncounted?: true;
  /** PUT of an absent name creates it. */
  readonly createOnUpdate?: true;
  /** An apply to /status creates what is absent. */
  readonly createOnStatusApply?: true;
  /** An update must name the resourceVersion that it changes. */
  readonly versionedUpdates?: true;
  /** An object without a name is given one. */
  readonly namesItself?: () => string;
  /** What a new object's status is, whatever the client sent; "sent" where the client's is taken. Usually {}. */
  readonly newStatus?: Readonly<Record<string, unknown>> | "sent";
  /** Notes in a new object who asked for it: before it is defaulted. */
  readonly sign?: (object: KubeObject, requester: User) => KubeObject;
  /**
   * What the registry adds to an object by itself, so that no manager owns it: PrepareForCreate and PrepareForUpdate.
   * Runs after ownership is noted and before validation.
   */
  readonly prepare?: (object: KubeObject, previous: KubeObject | undefined) => KubeObject;
  readonly deletion?: DeletionRules;
  /** The finalizer that keeps what is in use (plugin/pkg/admission/storage/storageobjectinuseprotection). */
  readonly protection?: string;
  /** Fields that a field selector may name beside the object's name and namespace. */
  readonly selectors?: Readonly<Record<string, FieldReader>>;
  /** What is said of any other field, where it is not the usual sentence. */
  readonly unknownSelector?: (field: string) => string;
  /** What every request for it is warned of. */
  readonly notice?: string;
  /** By the version that is served in another shape than the stored one. */
  readonly conversions?: Readonly<Record<string, Conversion>>;
  readonly computed?: Computed;
  /** Where kube-apiserver keeps it in etcd below /registry/. Usually its plural. */
  readonly storageKey?: string;
}

/** Reports what is wrong with an object; `previous` is what it replaces. */
export type ValidationRule = (report: Report, object: KubeObject, previous: KubeObject | undefined) => void;

export interface Conversion {
  fromStored(object: KubeObject): KubeObject;
  toStored(object: KubeObject): KubeObject;
}

export interface DeletionRules {
  /** Names that stay. */
  readonly forbidden?: readonly string[];
  /** Whether something beside finalizers holds the object. */
  readonly isHeld?: (object: KubeObject) => boolean;
  /** How many seconds it has to end, of what was asked for. Usually none. */
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number;
  /** What holds it until its own clean-up is over. */
  readonly finalizer?: string;
  /** What becomes of dependents when a deletion does not say: usually the collector removes them. */
  readonly dependents?: "orphaned" | "none";
  /** It is marked by a way of its own: neither a grace period nor a generation is written (rest.BeforeDelete). */
  readonly marksAlone?: true;
  /** The phase of what is being deleted. */
  readonly phase?: string;
  /** DELETE answers with the object instead of a Status. */
  readonly answersObject?: true;
  /** The last state of a deleted object is the one marked as such. */
  readonly endsMarked?: true;
  /** What a client is warned of that leaves the dependents' fate open. */
  readonly undecided?: string;
}

/** Where a built-in kind lives, and what holds for the types of which it is made. */
export interface StoredKind extends KindRules {
  /** "" for the core group. */
  readonly group: string;
  /** Its plural, "pods". Names, scope and subresources are generated: schema/data/resources.json. */
  readonly resource: string;
  /** Set where two groups or versions serve the same objects: their key in the store, and the version that is kept. */
  readonly storage?: { readonly type: string; readonly version: string };
  /** By the name of a type in data/definitions.json: defaults that depend on other fields. */
  readonly defaults?: Readonly<Record<string, ConditionalDefault>>;
}

/** Everything but metadata and status. */
export function specOf({ metadata: _metadata, status: _status, ...rest }: KubeObject): unknown {
  return rest;
}

/** apiextensions-apiserver's strategies of custom resources. */
export const customRules: KindRules = {
  generation: specOf,
  versionedUpdates: true,
  keptByStatus: "metadata",
  metadataPasses: { update: 2, whole: 3 },
  isGenerallyValidated: true,
};
