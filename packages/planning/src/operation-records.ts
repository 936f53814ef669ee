import type { Manifest, ResourceKey } from "@capstan/model";
import type { OperationChange, OperationObject, OperationRecord } from "@capstan/wire";

/** The very Application: another one of its name is another one. */
export interface RecordedApp {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** As it is handed in: with the objects, of which nothing is secret any more. */
export type NewRecord = Omit<OperationRecord, "id" | "changes" | "leftOut"> & {
  /** Texts of it may have come from a sensitive stage: the next one's objects may still hold them. */
  readonly sensitive: boolean;
  readonly changes: readonly NewChange[];
};

export type NewChange = Omit<OperationChange, "before" | "after"> & {
  readonly before?: Manifest | undefined;
  readonly after?: Manifest | undefined;
};

/** What operations did, for as long as there is room; whatever keeps them, losing them changes nothing. */
export interface OperationRecords {
  /** One more, or the same again after a restart in between. */
  add(app: RecordedApp, record: NewRecord): void;
  /** The newest first. */
  list(app: RecordedApp): OperationRecord[];
  /** Undefined where there is no such record of this application, or nothing of this object. */
  read(app: RecordedApp, id: string, key: ResourceKey): OperationObject | undefined;
  /** Whether the last one that is kept was sensitive; undefined where none is. */
  lastWasSensitive(app: RecordedApp): boolean | undefined;
}
