import { maskPaths, maskSecrets } from "@capstan/engine";
import { stringifyJson } from "@capstan/formats";
import { hasMultipleSources, type Manifest, sourcesOf } from "@capstan/model";
import type { RenderedManifest } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { type RenderNeeds, renderApplication } from "./render-application.ts";

type Needs = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

/** What the sources render to, at their revisions or at the given ones; Secrets masked. */
export function getManifests(context: Needs): HandlerOf<"getManifests"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const revisions = hasMultipleSources(app.spec)
      ? revisionsByPosition(sourcesOf(app).length, request)
      : [request.revision || undefined];
    const desired = await renderApplication(context, app, { revisions, noCache: request.noCache, signal });
    const { namespace = "", server = "" } = app.spec.destination;
    return {
      manifests: desired.manifests.map((manifest) => stringifyJson(shown(manifest))),
      namespace,
      server,
      revision: desired.revisions[0] ?? "",
      sourceType: desired.sourceTypes[0] ?? "",
      commands: [...desired.commands],
    };
  };
}

function shown({ manifest, secretPaths }: RenderedManifest): Manifest {
  const [masked] = maskSecrets(...maskPaths(secretPaths, manifest));
  return masked ?? manifest;
}

/** By position of the source; `sourcePositions` count from 1. */
export function revisionsByPosition(
  count: number,
  {
    sourcePositions,
    revisions,
  }: { sourcePositions?: readonly number[] | undefined; revisions?: readonly string[] | undefined },
): (string | undefined)[] {
  const found: (string | undefined)[] = new Array(count).fill(undefined);
  for (const [index, position] of (sourcePositions ?? []).entries()) found[position - 1] = revisions?.[index];
  return found;
}
