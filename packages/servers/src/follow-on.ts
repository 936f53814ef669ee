import { traceparent } from "@capstan/flow";
import { annotationKeys } from "@capstan/model";

/** By which whoever answers goes on with the trace that this is a step of; none where nobody follows it. */
export function followOn(): Readonly<Record<string, string>> {
  const trace = traceparent();
  return trace === undefined ? {} : { [annotationKeys.traceparent]: trace };
}
