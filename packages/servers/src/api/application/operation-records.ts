import { type Application, CapstanError } from "@capstan/model";
import type { RecordedApp } from "@capstan/planning";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";

type Needs = Pick<
  ApiContext,
  "kube" | "live" | "rights" | "controlNamespace" | "settings" | "clock" | "records"
>;

/** What operations did, the newest first; empty where nothing is kept. */
export function listOperations(context: Needs): HandlerOf<"listOperations"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    return { items: context.records?.list(recordedApp(app)) ?? [] };
  };
}

/** What one of them made of an object; only of this very application. */
export function getOperationObject(context: Needs): HandlerOf<"getOperationObject"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const { group = "", kind = "", namespace = "", resourceName: name = "" } = request;
    const found = context.records?.read(recordedApp(app), request.id, { group, kind, namespace, name });
    if (found) return found;
    throw new CapstanError({
      code: "NOT_FOUND",
      what: `operation ${request.id} of application "${app.metadata.name}", or ${kind} "${name}" in it`,
    });
  };
}

function recordedApp({ metadata: { namespace = "", name, uid = "" } }: Application): RecordedApp {
  return { namespace, name, uid };
}
