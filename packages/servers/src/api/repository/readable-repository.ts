import { permitSource } from "@capstan/engine";
import { permittedRepository, repositoryFor } from "@capstan/kube";
import type { ApplicationSource, Repository } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { findRules } from "../access/find-project.ts";
import { requireRight, rightMissing } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { repositoryObject } from "./stored-repository.ts";

export type ReadingNeeds = Pick<ApiContext, "settings" | "rights" | "live" | "controlNamespace" | "repo">;

interface Readable {
  source: ApplicationSource;
  appProject: string | undefined;
  user: Identity;
}

const resource = "repositories";

/**
 * A repository to be looked into before an application uses it, with its credentials: as an application of the project
 * might, or by the right on the repositories of all (server/repository isRepoPermittedInProject).
 */
export function readableRepository(
  context: Omit<ReadingNeeds, "repo">,
  { source, appProject, user }: Readable,
): Repository {
  const { settings, rights } = context;
  const object = repositoryObject({ url: source.repoURL, ...(appProject ? { project: appProject } : {}) });
  requireRight(rights, user, { resource, action: "get", object });
  if (!appProject) return repositoryFor(settings.current, source.repoURL);
  const project = findRules(context, appProject);
  if (!project) throw rightMissing(user, { resource, action: "get", object });
  return permittedRepository(settings.current, permitSource(project, source));
}
