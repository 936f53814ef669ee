import type { HandlerOf } from "../../call.ts";
import { type ReadingNeeds, readableRepository } from "./readable-repository.ts";

export function listHelmCharts(context: ReadingNeeds): HandlerOf<"listHelmCharts"> {
  return async ({ repo: repoURL, appProject }, { user, signal }) => {
    const repository = readableRepository(context, { source: { repoURL, chart: "*" }, appProject, user });
    return { items: await context.repo.listCharts({ repository }, signal) };
  };
}
