import { maskSecrets } from "@capstan/engine";
import { stringifyJson } from "@capstan/formats";
import { hasMultipleSources, sourcesOf } from "@capstan/model";
import type { ExplainedRender, RenderExplanation } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { hiddenAnnotations } from "./application-secrets.ts";
import { findApplication } from "./find-application.ts";
import { manifestRequests, type RenderNeeds } from "./render-application.ts";
import { revisionsByPosition } from "./revisions-by-position.ts";

type Needs = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

/** How the manifests of each source come about, stage by stage; Secrets masked. */
export function explainRender(context: Needs): HandlerOf<"explainRender"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const revisions = hasMultipleSources(app.spec)
      ? revisionsByPosition(sourcesOf(app).length, request)
      : [request.revision || undefined];
    const requests = await manifestRequests(context, app, { revisions, signal });
    const answers = requests.map((one) => context.repo.explainRender(one, signal));
    const hidden = hiddenAnnotations(context);
    return { sources: (await Promise.all(answers)).map((one) => shown(one, hidden)) };
  };
}

/** The masks of all stages belong together, so that equal values look equal. */
function shown({ stages, ...rest }: RenderExplanation, hidden: readonly string[]): ExplainedRender {
  const masked = maskSecrets(
    hidden,
    stages.flatMap(({ manifests }) => manifests),
  );
  let next = 0;
  return {
    ...rest,
    stages: stages.map((stage) => {
      const own = masked.slice(next, next + stage.manifests.length);
      next += stage.manifests.length;
      return { ...stage, manifests: own.map((manifest) => stringifyJson(manifest)) };
    }),
  };
}
