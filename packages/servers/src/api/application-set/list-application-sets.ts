import type { HandlerOf } from "../../call.ts";
import { applicationGroup } from "../application/read-application.ts";
import { newestVersion } from "../application/resource-version.ts";
import { applicationSetFilter } from "./application-set-filter.ts";
import { type ApplicationSetNeeds, isStoredSet } from "./find-application-set.ts";

export function listApplicationSets(context: ApplicationSetNeeds): HandlerOf<"listApplicationSets"> {
  return async (query, { user }) => {
    const isWanted = applicationSetFilter(context, query, user);
    const items = context.live
      .ofKind(applicationGroup, "ApplicationSet")
      .filter(isStoredSet)
      .filter(isWanted)
      .sort(({ metadata: left }, { metadata: right }) => (left.name < right.name ? -1 : 1));
    return { metadata: { resourceVersion: newestVersion(items) }, items };
  };
}
