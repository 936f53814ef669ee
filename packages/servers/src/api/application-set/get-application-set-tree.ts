import { argoApiVersion } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { applicationGroup } from "../application/read-application.ts";
import { type ApplicationSetNeeds, findApplicationSet } from "./find-application-set.ts";

/** The set's applications, as its status has them (server/applicationset buildApplicationSetTree). */
export function getApplicationSetTree(context: ApplicationSetNeeds): HandlerOf<"getApplicationSetTree"> {
  return async ({ name, appsetNamespace: namespace }, { user }) => {
    const { metadata, status } = findApplicationSet(context, { name, namespace, user, action: "get" });
    const within = metadata.namespace ?? context.controlNamespace;
    const parent = {
      group: applicationGroup,
      version: argoApiVersion.split("/")[1] ?? "",
      kind: "ApplicationSet",
      namespace: within,
      name,
      ...(metadata.uid ? { uid: metadata.uid } : {}),
    };
    const nodes = (status?.resources ?? []).map((one) => ({
      group: one.group ?? "",
      version: one.version ?? "",
      kind: one.kind ?? "",
      namespace: within,
      name: one.name ?? "",
      parentRefs: [parent],
      ...(one.health ? { health: one.health } : {}),
    }));
    return { nodes: nodes.sort((left, right) => (left.name < right.name ? -1 : 1)) };
  };
}
