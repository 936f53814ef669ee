import { annotationKeys, argoApiVersion, CapstanError, isSkipped } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { untilEchoed } from "../live-waits.ts";
import { findApplication } from "./find-application.ts";
import { type ImageNeeds, plansOf, shownUpdates } from "./plan-image-updates.ts";
import { applicationKey } from "./read-application.ts";

/**
 * Asks the registries anew, and the image updater to do now what it would do within its interval. Whoever may update
 * the application may ask: it, or a repository that its project permits, is changed by that.
 */
export function updateImages(context: ImageNeeds & Pick<ApiContext, "clock">): HandlerOf<"updateImages"> {
  return async (request, { user, signal }) => {
    const { kube, live, clock } = context;
    const app = await findApplication(context, { request, user, action: "update", signal });
    const { name, namespace = context.controlNamespace, uid, annotations: given } = app.metadata;
    const refused = (problem: string) =>
      new CapstanError({ code: "FAILED_PRECONDITION", what: `application ${name}`, problem });
    const plans = plansOf(context);
    if (!plans.isOn) throw refused("follows no images: capstan.imageupdater.enabled is false here");
    if (isSkipped(given))
      throw refused(`is left alone: it has the annotation ${annotationKeys.skipReconcile}`);
    plans.forget(app);
    const plan = await plans.plan(app, signal);
    if (!plan) throw refused("names no images to follow");
    if (plan.changes.length > 0) {
      const annotations = { [annotationKeys.imageUpdates]: "now" };
      // For the one that was looked at, and for none that was made anew under its name.
      const body = { metadata: { annotations, ...(uid === undefined ? {} : { uid }) } };
      const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
      const written = await kube.patch(ref, { type: "merge", body }, { signal });
      await untilEchoed(live, { key: applicationKey(namespace, name), written }, { clock, signal });
    }
    return shownUpdates(plan);
  };
}
