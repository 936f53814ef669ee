import type { ImagePlan } from "@capstan/engine";
import { CapstanError } from "@capstan/model";
import type { ImageUpdates } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";

export type ImageNeeds = Pick<
  ApiContext,
  "kube" | "live" | "rights" | "controlNamespace" | "settings" | "images"
>;

/** What the image updater would do now; nothing is changed by asking. */
export function planImageUpdates(context: ImageNeeds): HandlerOf<"planImageUpdates"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const plan = await plansOf(context).plan(app, signal);
    return plan ? shownUpdates(plan) : { by: "", images: [], problems: [] };
  };
}

export function plansOf({ images }: ImageNeeds): NonNullable<ImageNeeds["images"]> {
  if (images) return images;
  throw new CapstanError({
    code: "UNAVAILABLE",
    what: "image updates",
    problem: "this server follows none",
  });
}

export function shownUpdates({ verdicts, problems, updater }: ImagePlan): ImageUpdates {
  const images = verdicts.map((one) => ({ ...one, passedOver: [...one.passedOver] }));
  const by = updater === undefined ? "annotations" : `ImageUpdater ${updater}`;
  return { by, images, problems: [...problems] };
}
