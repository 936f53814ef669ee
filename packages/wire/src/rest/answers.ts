import { object, oneOf, optional, type Static, string } from "@capstan/model/shapes";

// Field names and meanings of all messages are those of Argo CD's protobuf files and v1alpha1 types.

export interface ListMeta {
  resourceVersion?: string;
  /** Asks for the next page; absent on the last. */
  continue?: string;
  /** Entries behind this page. */
  remainingItemCount?: number;
}

export interface ListOf<T> {
  metadata: ListMeta;
  items: readonly T[];
}

export interface Links {
  items: { title: string; url: string; description?: string; iconClass?: string }[];
}

/** core/v1 Event, the parts that people read. */
export interface KubeEvent {
  metadata: { name: string; namespace?: string; uid?: string; creationTimestamp?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string };
  involvedObject?: { kind?: string; namespace?: string; name?: string; uid?: string };
}

export type KubeEventList = ListOf<KubeEvent>;

export const connectionStateSchema = object({
  status: oneOf(["Successful", "Failed", "Unknown"]),
  message: optional(string()),
  attemptedAt: optional(string()),
});
export type ConnectionState = Static<typeof connectionStateSchema>;

export type Empty = Record<string, never>;
