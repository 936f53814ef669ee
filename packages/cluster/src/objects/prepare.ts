import { fromStored, knownToFit, toStored } from "../registry/convert.ts";
import { hasSubresource, type Served } from "../registry/served.ts";
import { withDefaults, withDefaultsSince } from "../schema/defaults.ts";
import { storedForm } from "../schema/stored-form.ts";
import { objectWarnings } from "../schema/warnings.ts";
import type { KubeObject } from "../types.ts";
import { invalid } from "./failures.ts";
import { validateObject } from "./validate-object.ts";
import type { AdmissionHook, Review, World, WriteOptions } from "./world.ts";

interface Draft {
  served: Served;
  object: KubeObject;
  previous: KubeObject | undefined;
  options: WriteOptions;
}

export interface Settling extends Draft {
  /** Notes who owns which fields: before the server adds its own, which nobody owns. */
  track: (defaulted: KubeObject) => KubeObject;
}

/** Defaults, ownership, preparation, admission and validation of a new state, in kube-apiserver's order. */
export function settle({ hooks, admission }: World, draft: Settling): KubeObject {
  const { served, previous, options, track } = draft;
  const { subresource } = options;
  const before = previous && { previous };
  const fits = previous && knownToFit(served, previous);
  const { object: drafted } = draft;
  const defaulted = fits
    ? withDefaultsSince(served.schema(), { object: drafted, fits })
    : withDefaults(served.schema(), served.defaults, drafted);
  const tracked = track(defaulted);
  const review = reviewOf(draft, tracked);
  admission.guard(review);
  const object = admission.mutate(review, tracked);
  // Namespaces alone: their own finalizers change through this endpoint.
  const prepared = subresource === "finalize" ? object : prepareForWrite(served, object, previous);
  const hook = hooks.get(served.type);
  const admitted = hook === undefined ? prepared : admit(hook, { ...draft, object: prepared });
  // pkg/registry/core/pod/storage assignPod writes past the rules of updates.
  const isBinding = subresource === "binding";
  const causes = isBinding
    ? []
    : validateObject({
        schema: served.schema(),
        rules: served.rules,
        object: admitted,
        subresource,
        fits,
        ...before,
      });
  const all = [...causes, ...(hook?.problems?.(admitted, previous) ?? [])];
  if (all.length > 0) throw invalid(served.info, object.metadata.name ?? "", all);
  if (subresource === "")
    for (const text of objectWarnings(served.rules, admitted, previous)) options.warn?.(text);
  admission.validate({ ...review, object: admitted });
  return storedForm(served.schema(), admitted);
}

function reviewOf({ served, previous, options }: Draft, object: KubeObject): Review {
  const { namespace = "", name = "" } = object.metadata;
  return {
    operation: previous === undefined ? "CREATE" : "UPDATE",
    served,
    subresource: options.subresource,
    namespace,
    name,
    object,
    previous,
    dryRun: options.dryRun,
    requester: options.requester,
    verb: options.verb,
    answers: options.answers,
    options: options.options,
    warn: (text) => options.warn?.(text),
  };
}

/** The registry's own additions: nobody owns them. Addresses and node ports are still to be allocated. */
export function prepareForWrite(
  { info, rules }: Pick<Served, "info" | "rules">,
  whole: KubeObject,
  previous?: KubeObject,
): KubeObject {
  const object = placed(whole, info.namespaced);
  const prepared = rules.prepare?.(object, previous) ?? object;
  return previous === undefined ? protectedWhileUsed(prepared, rules.protection) : prepared;
}

function protectedWhileUsed(object: KubeObject, finalizer: string | undefined): KubeObject {
  const { finalizers = [] } = object.metadata;
  if (finalizer === undefined || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** A namespace means nothing to a cluster-wide kind, and selfLink nothing to anybody any more. */
function placed(object: KubeObject, namespaced: boolean): KubeObject {
  const { namespace, selfLink, ...metadata } = object.metadata;
  const strays = selfLink !== undefined || (namespace !== undefined && !namespaced);
  if (!strays) return object;
  return {
    ...object,
    metadata: namespaced && namespace !== undefined ? { ...metadata, namespace } : metadata,
  };
}

/** Hooks know the stored form only. */
function admit(hook: AdmissionHook, { served, object, previous }: Draft): KubeObject {
  if (!served.converts) return hook.admit(object, previous);
  const before = previous && toStored(served, previous);
  return fromStored(served, hook.admit(toStored(served, object), before));
}

/** The client's status is not taken over by a write to the object itself. */
export function resetStatus(served: Served, object: KubeObject): KubeObject {
  const { newStatus = {} } = served.rules;
  if (!hasSubresource(served, "status") || newStatus === "sent") return object;
  const { status: _status, apiVersion, kind, metadata, ...rest } = object;
  const reset = { apiVersion, kind, metadata, ...rest };
  return served.crd === undefined ? { ...reset, status: newStatus } : reset;
}

/** Whose fields are whose is told from the whole object, before the status is put aside. */
export function sentStatus(
  served: Served,
  object: KubeObject,
  subresource: string,
): { sentStatus?: unknown } {
  const isReset = subresource === "" && hasSubresource(served, "status") && "status" in object;
  return isReset ? { sentStatus: object.status } : {};
}
