import type { Clock } from "@capstan/flow";
import type { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import type { User } from "../security/user.ts";
import type { Entry } from "../store/entry.ts";
import type { Store } from "../store/store.ts";
import type { FieldError, KubeObject } from "../types.ts";
import type { WebhookAnswers } from "../webhooks/answers.ts";

/** Runs before the validation of a write, as built-in admission and allocation do. */
export interface AdmissionHook {
  admit(object: KubeObject, previous: KubeObject | undefined): KubeObject;
  /** Problems that only other objects or the object's own rules beyond its schema can show. */
  problems?(object: KubeObject, previous: KubeObject | undefined): readonly FieldError[];
}

/** One change as admission sees it (apiserver pkg/admission Attributes). */
export interface Review {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly served: Served;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new state; undefined for a deletion. */
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
  readonly dryRun: boolean;
  /** Undefined where the cluster itself writes. */
  readonly requester: User | undefined;
  /** What the requester has been allowed: a PUT and an apply may turn out to create. */
  readonly verb?: string | undefined;
  /** What webhooks have answered so far; undefined where none is called, as the cluster itself writes. */
  readonly answers?: WebhookAnswers | undefined;
  /** How the request was put, for those who review it. */
  readonly options?: SentOptions | undefined;
  warn(text: string): void;
}

/** fieldManager and fieldValidation, as they were sent. */
export type SentOptions = Readonly<Record<string, unknown>>;

/** The rules that hold for every kind, in the order in which kube-apiserver applies them. */
export interface Admission {
  /** Whether policies or webhooks see what is written, of which also that it changes nothing. */
  isAwaited(): boolean;
  /** Before anything else of a write: may this be written by this user at all? */
  guard(review: Review): void;
  /** Completes a new state before it is validated. */
  mutate(review: Review, object: KubeObject): KubeObject;
  /** The last word on a valid change. */
  validate(review: Review): void;
}

/** What reading and writing objects needs. */
export interface World {
  readonly admission: Admission;
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** By the key of the store, "/services". */
  readonly hooks: ReadonlyMap<string, AdmissionHook>;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The name in managedFields. */
  readonly manager: string;
  /** "" for the object itself, else "status", "scale" … */
  readonly subresource: string;
  /** Who asks, where a request does. */
  readonly requester?: User;
  /** The verb of that request. */
  readonly verb?: string;
  readonly answers?: WebhookAnswers;
  readonly options?: SentOptions;
  /** What is made up for a new object, the same each time that the request is done. */
  readonly identity?: { uid?: string; name?: string };
  /** Takes what the client should be warned of. */
  readonly warn?: (text: string) => void;
}

/** The outcome of a write. `entry` is absent after a dry run. */
export interface Written {
  readonly object: KubeObject;
  readonly entry: Entry | undefined;
  readonly created: boolean;
  /** Nothing but the object itself was looked at to find that an apply changes nothing. */
  readonly isSettled?: boolean;
}

export interface Place {
  readonly served: Served;
  readonly namespace: string;
  readonly name: string;
}

let lastSecond = { of: Number.NaN, text: "" };

/** RFC 3339 with seconds, as metav1.Time. */
export function timestamp(clock: Clock, laterMs = 0): string {
  const of = Math.floor((clock.now() + laterMs) / 1_000);
  // Many are made in one second.
  if (lastSecond.of !== of) lastSecond = { of, text: `${new Date(of * 1_000).toISOString().slice(0, 19)}Z` };
  return lastSecond.text;
}
