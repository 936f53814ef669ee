import type { HandlerOf } from "../../call.ts";
import { listNames, type NotificationNeeds } from "./list-names.ts";

export function listTemplates(context: NotificationNeeds): HandlerOf<"listTemplates"> {
  return (_request, { signal }) =>
    listNames(context, { prefix: "template.", nameOf: (rest) => rest }, signal);
}
