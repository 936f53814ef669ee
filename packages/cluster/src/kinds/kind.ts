import type { Clock } from "@capstan/flow";
import type { AdmissionHook } from "../objects/world.ts";
import type { StoredKind } from "../registry/kind-rules.ts";
import type { Store } from "../store/store.ts";
import type { Objects } from "../types.ts";
import type { Registration } from "../workloads/controller.ts";

/** All that the embedded cluster knows of one built-in kind beside its generated description (schema/data). */
export interface Kind extends StoredKind {
  /** What admission does with it that needs more than the object itself. */
  readonly hook?: (needs: HookNeeds) => AdmissionHook;
  /** What stands in for its controller. */
  readonly simulation?: Registration;
}

export interface HookNeeds {
  readonly store: Store;
  readonly clock: Clock;
  /** As controllers see the store. */
  readonly objects: Objects;
}
