import { type Application, annotationKeys, CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { followOn } from "../../follow-on.ts";
import type { ApiContext } from "../context.ts";
import { notInTime, untilLive } from "../live-waits.ts";
import { findApplication } from "./find-application.ts";
import { applicationRef, isApplication, keyOfApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";

type Needs = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "controlNamespace" | "clock" | "clusters" | "settings" | "scripts"
>;

export function getApplication(context: Needs): HandlerOf<"getApplication"> {
  return async (request, { user, signal }) => {
    const found = await findApplication(context, { request, user, action: "get", signal });
    const stored = request.refresh
      ? await refreshApplication(context, found, { kind: request.refresh, signal })
      : found;
    return withResourceHealth(context, stored);
  };
}

const refreshMs = 60_000;

/** Asks for a comparison and waits until a controller has made it (Argo CD server/application.go Get). */
export async function refreshApplication(
  { live, kube, clock }: Pick<ApiContext, "live" | "kube" | "clock">,
  app: Application,
  { kind, signal }: { kind: string; signal: AbortSignal },
): Promise<Application> {
  if (kind !== "normal" && kind !== "hard")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "refresh",
      problem: `"${kind}" is neither normal nor hard`,
    });
  const annotations = {
    [annotationKeys.refresh]: kind,
    [annotationKeys.refreshTimestamp]: new Date(clock.now()).toISOString(),
    ...followOn(),
  };
  const asked = await kube.patch(
    applicationRef(app),
    { type: "merge", body: { metadata: { annotations } } },
    { signal },
  );
  const version = BigInt(asked.metadata.resourceVersion ?? "0");
  const found = await untilLive(
    live,
    {
      key: keyOfApplication(app),
      isWanted: (object) =>
        object === undefined ||
        (object.metadata.annotations?.[annotationKeys.refresh] === undefined &&
          BigInt(object.metadata.resourceVersion ?? "0") > version),
    },
    { clock, timeoutMs: refreshMs, signal },
  );
  if (found === undefined) throw notInTime(`the refresh of application "${app.metadata.name}"`, refreshMs);
  if (!isApplication(found.value))
    throw new CapstanError({ code: "NOT_FOUND", what: `application "${app.metadata.name}"` });
  return found.value;
}
