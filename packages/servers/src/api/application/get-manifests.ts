import { maskPaths, maskSecrets, track } from "@capstan/engine";
import { stringifyJson } from "@capstan/formats";
import { type Application, hasMultipleSources, instanceName, type Manifest, sourcesOf } from "@capstan/model";
import type { OutOf, Routes } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { type RenderNeeds, type RenderOptions, renderApplication } from "./render-application.ts";
import { revisionsByPosition } from "./revisions-by-position.ts";

type Needs = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

/**
 * What the sources render to, at their revisions or at the given ones, marked as the application's (reposerver
 * GenerateManifests, SetAppInstance); Secrets masked.
 */
export function getManifests(context: Needs): HandlerOf<"getManifests"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const revisions = hasMultipleSources(app.spec)
      ? revisionsByPosition(sourcesOf(app).length, request)
      : [request.revision || undefined];
    return shownManifests(context, app, { revisions, noCache: request.noCache, signal });
  };
}

export async function shownManifests(
  context: RenderNeeds,
  app: Application,
  options: RenderOptions,
): Promise<OutOf<Routes["getManifests"]>> {
  const desired = await renderApplication(context, app, options);
  const { namespace = "", server = "" } = app.spec.destination;
  const owner = { instance: instanceName(app, context.controlNamespace), namespace };
  const { tracking, maskedAnnotations: hidden } = context.settings.current.general;
  const manifests = desired.manifests.map(({ manifest, secretPaths }) => {
    const [masked = manifest] = maskSecrets(hidden, maskPaths(secretPaths, manifest));
    return stringifyJson(track(masked, owner, tracking) satisfies Manifest);
  });
  return {
    manifests,
    namespace,
    server,
    revision: desired.revisions[0] ?? "",
    sourceType: desired.sourceTypes[0] ?? "",
    commands: [...desired.commands],
  };
}
