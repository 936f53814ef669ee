import type { Application, Manifest } from "@capstan/model";
import type { Identity } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { type FoundResource, findResource, type ResourceName, type ResourceNeeds } from "./find-resource.ts";
import { applicationGroup } from "./read-application.ts";

export type ActionNeeds = ResourceNeeds & Pick<ApiContext, "scripts">;

/** Where an action runs: an object of the application's tree, or the application itself. */
export type ActionTarget =
  | ({ kind: "resource" } & FoundResource)
  | { kind: "itself"; app: Application; object: Manifest };

interface Find {
  request: ResourceName;
  user: Identity;
  action: string;
  signal: AbortSignal;
}

/** server/application.go getUnstructuredLiveResourceOrApp. */
export async function findActionTarget(context: ActionNeeds, find: Find): Promise<ActionTarget> {
  const { request } = find;
  const { group, kind, resourceName, name } = request;
  if (group === applicationGroup && kind === "Application" && resourceName === name) {
    const app = await findApplication(context, find);
    if ((request.namespace ?? "") === (app.metadata.namespace ?? ""))
      return { kind: "itself", app, object: app };
  }
  return { kind: "resource", ...(await findResource(context, find)) };
}
