import type { ApplicationRow } from "@capstan/model";
import type { PackedRows } from "@capstan/wire";
import type { Connection } from "./keep-live.ts";
import type { FailureFacts } from "./request-failure.ts";

/** What a window is told of the rows of all applications. */
export interface RowsTold {
  /** What was told before counts no more. */
  readonly reset?: true;
  readonly rows?: readonly PackedRows<ApplicationRow>[];
  /** Keys of those that are there no more. */
  readonly gone?: readonly string[];
  /** Now everything was told. */
  readonly isWhole?: boolean;
  readonly connection?: Connection;
  readonly failure?: FailureFacts;
}

export function rowKey({ namespace, name }: Pick<ApplicationRow, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}
