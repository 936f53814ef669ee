import { fromStored, toStored } from "../registry/convert.ts";
import { hasSubresource, type Served } from "../registry/served.ts";
import { withDefaults } from "../schema/defaults.ts";
import { prepareForWrite } from "../schema/prepare.ts";
import { validateObject } from "../schema/validate.ts";
import type { KubeObject } from "../types.ts";
import { invalid } from "./failures.ts";
import type { AdmissionHook, World } from "./world.ts";

interface Draft {
  served: Served;
  object: KubeObject;
  previous: KubeObject | undefined;
  subresource: string;
}

export interface Settling extends Draft {
  /** Notes who owns which fields: before the server adds its own, which nobody owns. */
  track: (defaulted: KubeObject) => KubeObject;
}

/** Defaults, ownership, preparation, admission and validation of a new state, in kube-apiserver's order. */
export function settle({ hooks }: World, draft: Settling): KubeObject {
  const { served, previous, subresource, track } = draft;
  const before = previous && { previous };
  const object = track(withDefaults(served.schema(), served.info, draft.object));
  // A namespace's own finalizers change through this endpoint alone.
  const prepared =
    subresource === "finalize" ? object : prepareForWrite({ info: served.info, object, ...before });
  const hook = hooks.get(served.type);
  const admitted = hook === undefined ? prepared : admit(hook, { ...draft, object: prepared });
  const causes = validateObject({ schema: served.schema(), info: served.info, object: admitted, ...before });
  const all = [...causes, ...(hook?.problems?.(admitted, previous) ?? [])];
  if (all.length > 0) throw invalid(served.info, object.metadata.name ?? "", all);
  return admitted;
}

/** Hooks know the stored form only. */
function admit(hook: AdmissionHook, { served, object, previous }: Draft): KubeObject {
  if (!served.converts) return hook.admit(object, previous);
  const before = previous && toStored(served, previous);
  return fromStored(served, hook.admit(toStored(served, object), before));
}

/** The client's status is not taken over by a write to the object itself. */
export function resetStatus(served: Served, object: KubeObject): KubeObject {
  const { newStatus } = served.facts;
  if (!hasSubresource(served, "status") || newStatus === undefined) return object;
  const { status: _status, apiVersion, kind, metadata, ...rest } = object;
  const reset = { apiVersion, kind, metadata, ...rest };
  return served.crd === undefined ? { ...reset, status: newStatus } : reset;
}
