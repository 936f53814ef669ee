import { parseTime } from "@capstan/formats";
import { type Application, annotationKeys, CapstanError, finalizers as known } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { changeApplication, withoutField } from "./change-application.ts";
import { findApplication } from "./find-application.ts";
import { applicationRef } from "./read-application.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "clock" | "settings">;

/** The resources go with the application unless `cascade` is false (Argo CD server/application.go Delete). */
export function deleteApplication(context: Needs): HandlerOf<"deleteApplication"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "delete", signal });
    const finalizer = readFinalizer(request.cascade ?? true, request.propagationPolicy ?? "");
    await changeApplication(context, app, {
      to: (current) => {
        const wanted = withFinalizer(withoutFormerApproval(current, context.clock.now()), finalizer);
        return wanted === current ? undefined : wanted;
      },
      signal,
    });
    await context.kube.delete(applicationRef(app), { signal });
    return {};
  };
}

const byPolicy: Readonly<Record<string, string>> = {
  "": known.resources,
  foreground: known.resources,
  background: known.resourcesBackground,
};

function readFinalizer(cascade: boolean, policy: string): string | undefined {
  const field = "propagationPolicy";
  const finalizer = byPolicy[policy.toLowerCase()];
  if (finalizer === undefined)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field,
      problem: `"${policy}" is neither foreground nor background`,
    });
  if (!cascade && policy !== "")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field,
      problem: "cannot be given when cascade is false",
    });
  return cascade ? finalizer : undefined;
}

/**
 * Consent to a prune is none to the deletion that is asked for afterwards. Both times are whole seconds, so within one
 * second they could not be told apart. What lies ahead was meant for later, and a deletion under way has its own.
 */
function withoutFormerApproval(current: Application, nowMs: number): Application {
  const { annotations = {}, deletionTimestamp } = current.metadata;
  const approvedMs = parseTime(annotations[annotationKeys.deletionApproved]);
  if (deletionTimestamp !== undefined || approvedMs === undefined || approvedMs > nowMs) return current;
  const others = withoutField(annotations, annotationKeys.deletionApproved);
  return { ...current, metadata: { ...current.metadata, annotations: others } };
}

const cascading: readonly string[] = [known.resources, known.resourcesForeground, known.resourcesBackground];

function withFinalizer(current: Application, finalizer: string | undefined): Application {
  const present = current.metadata.finalizers ?? [];
  const others = present.filter((one) => !cascading.includes(one));
  const finalizers = finalizer === undefined ? others : [...others, finalizer];
  const isSame = finalizers.length === present.length && finalizers.every((one) => present.includes(one));
  return isSame ? current : { ...current, metadata: { ...current.metadata, finalizers } };
}
