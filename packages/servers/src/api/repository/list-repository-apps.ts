import type { HandlerOf, Identity } from "../../call.ts";
import { type Rights, rightMissing } from "../access/rights.ts";
import { type ReadingNeeds, readableRepository } from "./readable-repository.ts";

export function listRepositoryApps(context: ReadingNeeds): HandlerOf<"listRepositoryApps"> {
  return async ({ repo: repoURL, revision, appName, appProject }, { user, signal }) => {
    const source = { repoURL, ...(revision ? { targetRevision: revision } : {}) };
    const repository = readableRepository(context, { source, appProject, user });
    requireMaker(context.rights, user, `${appProject || "default"}/${appName ?? ""}`);
    const apps = await context.repo.listApps({ repository, source }, signal);
    return { items: Object.entries(apps).map(([path, type]) => ({ path, type })) };
  };
}

/** A repository is fetched and looked through: for whom an application may be made of it (server/repository ListApps). */
function requireMaker(rights: Rights, user: Identity, object: string): void {
  const may = (action: string) => rights.allows(user, { resource: "applications", action, object });
  if (may("create") || may("update")) return;
  throw rightMissing(user, { resource: "applications", action: "create", object });
}
