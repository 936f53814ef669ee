import {
  type Application,
  type ApplicationSource,
  CapstanError,
  type RevisionHistory,
  sourcesOf,
} from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { revisionRequest } from "./render-application.ts";

export type RevisionNeeds = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "controlNamespace" | "settings" | "repo"
>;

export function getRevisionMetadata(context: RevisionNeeds): HandlerOf<"getRevisionMetadata"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const source = findSource(app, request.sourceIndex ?? 0, request.versionId);
    const question = revisionRequest(context, app, { source, revision: request.revision });
    const { author, date, message, tags } = await context.repo.revisionMetadata(question, signal);
    return { author, date, message, tags };
  };
}

/** Of the specification, or of a deployment in the history. */
export function findSource(
  app: Application,
  index: number,
  versionId: number | undefined,
): ApplicationSource {
  const deployment = versionId ? app.status?.history?.find(({ id }) => id === versionId) : undefined;
  const sources = deployment ? deployedSources(deployment) : sourcesOf(app);
  const source = sources[index];
  if (source) return source;
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "sourceIndex",
    problem: `there are ${sources.length} sources`,
  });
}

function deployedSources({ source, sources }: RevisionHistory): readonly ApplicationSource[] {
  return sources && sources.length > 0 ? sources : [source ?? []].flat();
}
