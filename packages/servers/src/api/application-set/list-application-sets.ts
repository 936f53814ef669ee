import { isLiveSet } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { applicationGroup } from "../application/read-application.ts";
import { newestVersion } from "../application/resource-version.ts";
import { pageByName, readPage } from "../paging/page-query.ts";
import { applicationSetFilter } from "./application-set-filter.ts";
import type { ApplicationSetNeeds } from "./find-application-set.ts";

/** By name; limit, continue and sort (`name`, `-name`) are Capstan's own parameters, by REST alone. */
export function listApplicationSets(context: ApplicationSetNeeds): HandlerOf<"listApplicationSets"> {
  return async (query, { user }) => {
    const isWanted = applicationSetFilter(context, query, user);
    const { projects, selector, appsetNamespace } = query;
    const page = readPage(query, { sorts: ["name"], question: [projects, selector, appsetNamespace] });
    const sets = context.live.ofKind(applicationGroup, "ApplicationSet").filter(isLiveSet).filter(isWanted);
    return pageByName(page, sets, newestVersion(sets));
  };
}
