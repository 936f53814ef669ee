import type { HandlerOf } from "../../call.ts";
import { type ReadingNeeds, readableRepository } from "./readable-repository.ts";

export function listRepositoryRefs(context: ReadingNeeds): HandlerOf<"listRepositoryRefs"> {
  return async ({ repo: repoURL, appProject }, { user, signal }) => {
    const repository = readableRepository(context, { source: { repoURL }, appProject, user });
    return context.repo.listRefs({ repository }, signal);
  };
}
