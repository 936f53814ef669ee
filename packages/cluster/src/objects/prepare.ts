import { fromStored, toStored } from "../registry/convert.ts";
import { hasSubresource, type Served } from "../registry/served.ts";
import { withDefaults } from "../schema/defaults.ts";
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

/** Defaults, admission and validation of a new state, in this order as in kube-apiserver. */
export function settle({ hooks }: World, draft: Draft): KubeObject {
  const { served, object, previous } = draft;
  const hook = hooks.get(served.type);
  const defaulted = { ...draft, object: withDefaults(served.schema(), served.info, object) };
  const admitted = hook === undefined ? defaulted.object : admit(hook, defaulted);
  const causes = validateObject({
    schema: served.schema(),
    info: served.info,
    object: admitted,
    ...(previous && { previous }),
  });
  const all = [...causes, ...(hook?.problems?.(admitted, previous) ?? [])];
  if (all.length > 0) throw invalid(served.info, object.metadata.name ?? "", all);
  return admitted;
}

/** Hooks know the stored form only. */
function admit(hook: AdmissionHook, { served, object, previous, subresource }: Draft): KubeObject {
  if (!served.converts) return hook.admit(object, previous, subresource);
  const before = previous && toStored(served, previous);
  return fromStored(served, hook.admit(toStored(served, object), before, subresource));
}

/** The client's status is not taken over by a write to the object itself. */
export function resetStatus(served: Served, object: KubeObject): KubeObject {
  const { newStatus } = served.facts;
  if (!hasSubresource(served, "status") || newStatus === undefined) return object;
  const { status: _status, apiVersion, kind, metadata, ...rest } = object;
  const reset = { apiVersion, kind, metadata, ...rest };
  return served.crd === undefined ? { ...reset, status: newStatus } : reset;
}
