import { traceparent } from "@capstan/flow";
import { type Application, annotationKeys, CapstanError, type Operation } from "@capstan/model";
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
      return { ...followedOn(current), operation, ...(status ? { status } : {}) };
    },
  });
}

/** The controller goes on with the trace that this is a step of. */
function followedOn(app: Application): Application {
  const trace = traceparent();
  if (trace === undefined) return app;
  const annotations = { ...app.metadata.annotations, [annotationKeys.traceparent]: trace };
  return { ...app, metadata: { ...app.metadata, annotations } };
}
