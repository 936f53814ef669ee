import { type Application, CapstanError, type Operation } from "@capstan/model";
import { followOn } from "../../follow-on.ts";
import type { ApiContext } from "../context.ts";
import { changeApplication, withoutField } from "./change-application.ts";

/** Hands an operation to the controller; there can be one at a time (Argo CD util/argo SetAppOperation). */
export function startOperation(
  context: Pick<ApiContext, "live" | "kube" | "clock">,
  app: Application,
  { operation, signal }: { operation: Operation; signal: AbortSignal },
): Promise<Application> {
  return changeApplication(context, app, {
    signal,
    to(current) {
      if (current.operation)
        throw new CapstanError({ code: "OPERATION_RUNNING", application: current.metadata.name });
      const status = current.status && withoutField(current.status, "operationState");
      return { ...withAnnotations(current, followOn()), operation, ...(status ? { status } : {}) };
    },
  });
}

function withAnnotations(app: Application, added: Readonly<Record<string, string>>): Application {
  if (Object.keys(added).length === 0) return app;
  return { ...app, metadata: { ...app.metadata, annotations: { ...app.metadata.annotations, ...added } } };
}
