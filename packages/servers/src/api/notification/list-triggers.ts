import type { HandlerOf } from "../../call.ts";
import { listNames, type NotificationNeeds } from "./list-names.ts";

export function listTriggers(context: NotificationNeeds): HandlerOf<"listTriggers"> {
  return (_request, { signal }) => listNames(context, { prefix: "trigger.", nameOf: (rest) => rest }, signal);
}
