import { fromStored, toStored } from "../registry/convert.ts";
import { apiVersionOf, hasSubresource, type Served } from "../registry/served.ts";
import { withDefaults } from "../schema/defaults.ts";
import { validateObject } from "../schema/validate.ts";
import type { KubeObject } from "../types.ts";
import { invalid } from "./failures.ts";
import type { World } from "./world.ts";

interface Draft {
  served: Served;
  object: KubeObject;
  previous: KubeObject | undefined;
}

/** Defaults, admission and validation of a new state, in this order as in kube-apiserver. */
export function settle({ hooks, registry }: World, { served, object, previous }: Draft): KubeObject {
  const defaulted = withDefaults(served.schema(), served.info, object);
  const hook = hooks.get(served.type);
  const admitted =
    hook === undefined
      ? defaulted
      : admitStored({ served, registry, object: defaulted, previous }, hook.admit);
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

type Admit = (object: KubeObject, previous: KubeObject | undefined) => KubeObject;

/** Hooks know the stored form only. */
function admitStored(
  { served, object, previous }: Draft & Pick<World, "registry">,
  admit: Admit,
): KubeObject {
  if (!served.converts) return admit(object, previous);
  return fromStored(served, admit(toStored(served, object), previous && toStored(served, previous)));
}

/** The client's status is not taken over by a write to the object itself. */
export function resetStatus(served: Served, object: KubeObject): KubeObject {
  const { newStatus } = served.facts;
  if (!hasSubresource(served, "status") || newStatus === undefined) return object;
  const { status: _status, ...rest } = object;
  if (served.crd !== undefined)
    return { ...rest, metadata: object.metadata, kind: object.kind, apiVersion: object.apiVersion };
  return {
    ...rest,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: object.metadata,
    status: newStatus,
  };
}

export function withKind(served: Served, object: KubeObject): KubeObject {
  return {
    ...object,
    apiVersion: apiVersionOf(served.info.group, served.info.version),
    kind: served.info.kind,
  };
}
