import type { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import type { User } from "../security/user.ts";
import type { Entry } from "../store/entry.ts";
import type { Store } from "../store/store.ts";
import type { Clock, FieldError, KubeObject } from "../types.ts";

/** Runs before the validation of a write, as built-in admission and allocation do. */
export interface AdmissionHook {
  /** The key of the store, "/services". */
  readonly type: string;
  admit(object: KubeObject, previous: KubeObject | undefined): KubeObject;
  /** Problems that only other objects or the object's own rules beyond its schema can show. */
  problems?(object: KubeObject, previous: KubeObject | undefined): readonly FieldError[];
}

/** What reading and writing objects needs. */
export interface World {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
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
}

/** The outcome of a write. `entry` is absent after a dry run. */
export interface Written {
  readonly object: KubeObject;
  readonly entry: Entry | undefined;
  readonly created: boolean;
}

export interface Place {
  readonly served: Served;
  readonly namespace: string;
  readonly name: string;
}

/** RFC 3339 with seconds, as metav1.Time. */
export function timestamp(clock: Clock, laterMs = 0): string {
  return `${new Date(clock.now() + laterMs).toISOString().slice(0, 19)}Z`;
}
