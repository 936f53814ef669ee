import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";

/** What the image updater would do now; nothing is changed by asking. */
export function planImageUpdates(
  context: Pick<ApiContext, "kube" | "live" | "rights" | "controlNamespace" | "settings" | "images">,
): HandlerOf<"planImageUpdates"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const { images } = context;
    if (!images)
      throw new CapstanError({
        code: "UNAVAILABLE",
        what: "image updates",
        problem: "this server follows none",
      });
    const plan = await images.plan(app, signal);
    if (!plan) return { by: "", images: [], problems: [] };
    const { verdicts, problems, updater } = plan;
    const shown = verdicts.map((one) => ({ ...one, passedOver: [...one.passedOver] }));
    const by = updater === undefined ? "annotations" : `ImageUpdater ${updater}`;
    return { by, images: shown, problems: [...problems] };
  };
}
