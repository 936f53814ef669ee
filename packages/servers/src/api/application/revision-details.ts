import { CapstanError } from "@capstan/model";
import type { MetadataRequest, RevisionMetadata } from "@capstan/wire";
import { artifactDetails } from "../../artifact-details.ts";
import type { HandlerOf } from "../../call.ts";
import { findApplication } from "./find-application.ts";
import { revisionRequest } from "./render-application.ts";
import { findSource, type RevisionNeeds } from "./revision-metadata.ts";

interface Asked {
  name: string;
  revision: string;
  sourceIndex?: number | undefined;
  versionId?: number | undefined;
}

/** What Chart.yaml of a deployed version says to people. */
export function getChartDetails(context: RevisionNeeds): HandlerOf<"getChartDetails"> {
  return async (request, call) => {
    const { chart } = await detailsOf(context, request, call);
    return chart ?? refuse(request, "is of no chart");
  };
}

/** What the manifest of an artifact in a registry says to people (OCI image-spec, pre-defined annotation keys). */
export function getOciMetadata(context: RevisionNeeds): HandlerOf<"getOciMetadata"> {
  return async (request, call) => {
    const { artifact } = await detailsOf(context, request, call);
    const annotations = artifact ?? refuse(request, "is of no artifact in a registry (repoURL: oci://…)");
    return artifactDetails(annotations);
  };
}

async function detailsOf(
  context: RevisionNeeds,
  request: Asked & Parameters<typeof findApplication>[1]["request"],
  { user, signal }: Parameters<HandlerOf<"getChartDetails">>[1],
): Promise<RevisionMetadata> {
  const app = await findApplication(context, { request, user, action: "get", signal });
  const source = findSource(app, request.sourceIndex ?? 0, request.versionId);
  const asked: MetadataRequest = revisionRequest(context, app, { source, revision: request.revision });
  return context.repo.revisionMetadata({ ...asked, withDetails: true }, signal);
}

function refuse({ name, sourceIndex = 0 }: Asked, problem: string): never {
  const what = `source ${sourceIndex} of application "${name}"`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "sourceIndex", problem: `${what} ${problem}` });
}
