import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { changeApplication, withoutField } from "./change-application.ts";
import { findApplication } from "./find-application.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clock" | "settings">;

export function terminateOperation(context: Needs): HandlerOf<"terminateOperation"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "sync", signal });
    await changeApplication(context, app, {
      signal,
      to(current) {
        if (!current.operation)
          throw new CapstanError({
            code: "INVALID_ARGUMENT",
            field: "name",
            problem: `application "${current.metadata.name}" has no operation in progress`,
          });
        const { operationState } = current.status ?? {};
        // Not begun yet: there is nothing to end.
        if (!operationState) return withoutField(current, "operation");
        return {
          ...current,
          status: { ...current.status, operationState: { ...operationState, phase: "Terminating" } },
        };
      },
    });
    return {};
  };
}
