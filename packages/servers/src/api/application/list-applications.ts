import type { HandlerOf } from "../../call.ts";
import { readPage, takePage } from "../paging/page-query.ts";
import type { ApplicationFeed } from "./application-feed.ts";
import type { ApplicationIndex } from "./application-index.ts";
import { applicationSorts, placeBy } from "./application-orders.ts";
import { matchesQuery, ownQuestion } from "./application-query.ts";

interface Needs {
  index: ApplicationIndex;
  feed: ApplicationFeed;
}

/**
 * Applications that the caller may see, all or a page of them. Argo CD's parameters are name, project, projects,
 * selector, repo, appNamespace, refresh, resourceVersion and fields; by REST Capstan has some of its own, which Argo
 * CD's server does not know: limit, continue, sort, search, cluster, namespace, sync, health, autoSync. Argo CD's
 * message of this call (ApplicationQuery) has no place for them, so that gRPC answers with all.
 *
 * Rights and filters come before pages. A page is of what is there when it is asked for: what does not change meanwhile
 * is on one page, once; what changes may stand on two or on none, and `metadata.resourceVersion` is that of the first
 * page on all of them, so that a watch from it tells all that changed since.
 */
export function listApplications({ index, feed }: Needs): HandlerOf<"listApplications"> {
  return async (query, { user, madeFrom }) => {
    const page = readPage(query, { sorts: applicationSorts, question: ownQuestion(query) });
    const matches = matchesQuery(query);
    const maySee = index.maySee(user);
    const state = index.state();
    if (state) madeFrom?.(state);
    const newest = feed.newest();
    return takePage(page, index.sortedBy(page.sort), {
      isWanted: (app) => matches(app) && maySee(app),
      placeOf: placeBy(page.sort),
      version: newest === 0n ? "" : String(newest),
    });
  };
}
