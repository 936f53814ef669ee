import { type ApplicationSet, argoApiVersion, CapstanError, isLiveSet, type Manifest } from "@capstan/model";
import type { Identity } from "../../call.ts";
import type { Rights } from "../access/rights.ts";
import { isServedNamespace } from "../access/served-applications.ts";
import { applicationGroup } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";

export type ApplicationSetNeeds = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "controlNamespace" | "settings" | "clock"
>;

export type StoredSet = Manifest & ApplicationSet;

export const applicationSetResource = "applicationsets";

export function keyOfSet(namespace: string, name: string) {
  return { group: applicationGroup, kind: "ApplicationSet", namespace, name };
}

export function refOfSet(namespace: string, name: string) {
  return { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
}

/** `project/name`, with the namespace between when it is not the control namespace (v1alpha1 ApplicationSet.RBACName). */
export function objectOfSet({ metadata, spec }: ApplicationSet, controlNamespace: string): string {
  const { namespace = controlNamespace, name } = metadata;
  const project = spec.template.spec.project;
  return namespace === controlNamespace ? `${project}/${name}` : `${project}/${namespace}/${name}`;
}

export function allowsSet(
  { rights, controlNamespace }: { rights: Rights; controlNamespace: string },
  user: Identity,
  { action, set }: { action: string; set: ApplicationSet },
): boolean {
  const object = objectOfSet(set, controlNamespace);
  return rights.allows(user, { resource: applicationSetResource, action, object });
}

/** Where ApplicationSets may stand: as Applications, as far as the operator's settings say. */
export function requireServed(context: ApplicationSetNeeds, namespace: string): void {
  if (namespace === context.controlNamespace || isServedNamespace(context, namespace)) return;
  const problem = `namespace '${namespace}' is not permitted: name it in application.namespaces of argocd-cmd-params-cm`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "appsetNamespace", problem });
}

interface Asked {
  name: string;
  namespace: string | undefined;
  user: Identity;
  action: "get" | "update" | "delete";
}

/** Of what the caller has no right to it is not even said that it is there. */
export function findApplicationSet(
  context: ApplicationSetNeeds,
  { name, namespace = "", user, action }: Asked,
): StoredSet {
  const { live, rights, controlNamespace } = context;
  const within = namespace || controlNamespace;
  requireServed(context, within);
  const found = live.get(keyOfSet(within, name));
  if (isLiveSet(found) && allowsSet(context, user, { action, set: found })) return found;
  const everywhere = within === controlNamespace ? `*/${name}` : `*/${within}/${name}`;
  const seesAll = rights.allows(user, { resource: applicationSetResource, action, object: everywhere });
  const what = `applicationset "${name}"`;
  if (seesAll && !isLiveSet(found)) throw new CapstanError({ code: "NOT_FOUND", what });
  throw new CapstanError({ code: "FORBIDDEN", action, what, user: user.name });
}
