import type { HandlerOf } from "../../call.ts";
import { listNames, type NotificationNeeds } from "./list-names.ts";

/** `service.<type>` is called as its type, `service.<type>.<name>` by its name (notifications-engine: pkg/api ParseConfig). */
export function listServices(context: NotificationNeeds): HandlerOf<"listServices"> {
  return (_request, { signal }) => listNames(context, { prefix: "service.", nameOf }, signal);
}

function nameOf(rest: string): string {
  return rest.split(".")[1] ?? rest;
}
