import { isCapstanError, sourcesOf } from "@capstan/model";
import type { DescribedSource, ManifestRequest } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { manifestRequests, type RenderNeeds } from "./render-application.ts";

type Needs = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

/** What can be set for each source. One that cannot be read does not keep the others from being told. */
export function describeSources(context: Needs): HandlerOf<"describeSources"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const requests = await manifestRequests(context, app, { signal });
    const ofSource = new Map(requests.map((one) => [one.source, one]));
    const sources = sourcesOf(app).map((source) => describe(context, ofSource.get(source), signal));
    return { sources: await Promise.all(sources) };
  };
}

async function describe(
  { repo }: Pick<Needs, "repo">,
  request: ManifestRequest | undefined,
  signal: AbortSignal,
): Promise<DescribedSource> {
  if (!request) return {};
  try {
    return { description: await repo.describeSource(request, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) return { problem: error.message };
    throw error;
  }
}
