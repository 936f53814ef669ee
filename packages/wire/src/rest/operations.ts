import type { ApplicationSource, OperationPhase } from "@capstan/model";
import { base, owner } from "./applications.ts";
import { route } from "./route.ts";

/** An operation that has ended, a failed one and each attempt of one that was retried among them. Ours alone. */
export interface OperationRecord {
  readonly id: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly phase: OperationPhase;
  readonly message: string;
  /** 0 for the first, one more for each retry. */
  readonly attempt: number;
  readonly dryRun: boolean;
  readonly initiatedBy: { readonly username?: string; readonly automated?: boolean };
  readonly revisions: readonly string[];
  readonly sources: readonly ApplicationSource[];
  /** Of Pods, of all objects that it has changed. */
  readonly images: { readonly before: readonly string[]; readonly after: readonly string[] };
  readonly changes: readonly OperationChange[];
  /** Changes beyond the first of them. */
  readonly leftOut: number;
  /** Texts of objects are hidden: some of them may have come from a sensitive stage. */
  readonly textsHidden: boolean;
}

/** What it did with one object; what the object was and became is asked for by `getOperationObject`. */
export interface OperationChange {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly act: "create" | "change" | "delete" | "hook" | "failed";
  /** What the cluster said. */
  readonly message: string;
  /** SHA-256 of what is kept of it before and after, hexadecimal; absent where it was not there or is too large. */
  readonly before?: string;
  readonly after?: string;
}

/** JSON texts, Secrets masked; absent where it was not there. */
export interface OperationObject {
  readonly before?: string;
  readonly after?: string;
}

/** What operations did, for as long as it is kept. */
export const operationRoutes = {
  listOperations: route("GET", `${base}/{name}/operations`, owner).answers<{ items: OperationRecord[] }>(),
  getOperationObject: route("GET", `${base}/{name}/operations/{id}/object`, {
    ...owner,
    group: "string",
    kind: "string",
    namespace: "string",
    resourceName: "string",
  }).answers<OperationObject>(),
} as const;
