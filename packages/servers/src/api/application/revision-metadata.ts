import { signatureDemand } from "@capstan/engine";
import {
  type Application,
  type ApplicationSource,
  CapstanError,
  projectOf,
  type RevisionHistory,
  sourcesOf,
} from "@capstan/model";
import type { MetadataRequest } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { findRules } from "../access/find-project.ts";
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
    const asked = { ...question, ...signaturesOf(context, app, source) };
    const { author, date, message, tags, signatureInfo } = await context.repo.revisionMetadata(asked, signal);
    return { author, date, message, tags, ...(signatureInfo ? { signatureInfo } : {}) };
  };
}

/** What is said of signatures only where the project demands some. */
function signaturesOf(
  context: RevisionNeeds,
  app: Application,
  source: ApplicationSource,
): Pick<MetadataRequest, "signatures"> {
  const { keyring } = context.settings.current.general;
  const project = findRules(context, projectOf(app));
  const demand = project && signatureDemand(project, source);
  if (!keyring || !demand || demand.problem !== undefined) return {};
  return { signatures: { demand: { mode: demand.mode, keys: demand.keys }, keyring } };
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
