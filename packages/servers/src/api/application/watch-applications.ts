import type { Application } from "@capstan/model";
import type { ApplicationWatchEvent } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { CoalescingQueue } from "../coalescing-queue.ts";
import type { ApiContext } from "../context.ts";
import type { ApplicationFeed } from "./application-feed.ts";
import type { ApplicationIndex } from "./application-index.ts";
import { matchesQuery } from "./application-query.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";
import { readVersion } from "./resource-version.ts";

type Needs = Pick<ApiContext, "live" | "controlNamespace" | "clusters" | "settings" | "scripts"> & {
  feed: ApplicationFeed;
  index: ApplicationIndex;
};

/**
 * First what there is, then each change; an application that no longer is what was asked for, or that the caller may no
 * longer see, ends for him as it was (Kubernetes' watches do so; Argo CD says nothing). From a list's resource version
 * on only what has changed since, ends included. Where it is not known any more what has ended since then, all there is
 * is told as ADDED: an old page is right again but for what has ended, as with Argo CD. Parameters: as of a list, and
 * `resourceVersion`; limit, continue and sort mean nothing here.
 */
export function watchApplications(context: Needs): HandlerOf<"watchApplications"> {
  return async (query, { user, signal }) => {
    const { feed } = context;
    const matches = matchesQuery(query);
    const maySee = context.index.maySee(user);
    const isWanted = (app: Application): boolean => matches(app) && maySee(app);
    const since = readVersion(query.resourceVersion);
    // Who watches one application must not miss anything and gets it at the same version again, as in Argo CD.
    const known = since === 0n ? undefined : feed.deletedSince(since);
    const ended = query.name ? undefined : known;
    const from = query.name ? since - 1n : ended ? since : -1n;
    const isNewer = ({ metadata }: Application) => readVersion(metadata.resourceVersion) > from;
    const queue = new CoalescingQueue<ApplicationWatchEvent>();
    // Listening begins before what there is is looked at, so that nothing falls between the two.
    const stop = feed.listen(({ event, previous, left }) => {
      const { application, type } = event;
      if (type !== "DELETED" && !isNewer(application)) return;
      if (isWanted(application)) return queue.push(idOf(application), event);
      const end = !query.name && previous && isWanted(previous) ? left() : undefined;
      if (end) queue.push(idOf(application), end);
    });
    const past = query.name && since === 0n ? feed.deleted(query.name) : (known ?? []);
    const type = ended ? "MODIFIED" : "ADDED";
    const present = context.live
      .ofKind(applicationGroup, "Application")
      .filter(isApplication)
      .filter(isNewer);
    const offer = (application: Application): ApplicationWatchEvent | undefined => {
      if (!maySee(application)) return undefined;
      // What does not match now may have been in the list.
      if (!ended && !matches(application)) return undefined;
      const shown = withResourceHealth(context, application);
      return { type: matches(application) ? type : "DELETED", application: shown };
    };
    const isEnd = ({ application }: ApplicationWatchEvent) => isWanted(application);
    return tell({ first: [past.filter(isEnd), present, offer], queue, stop, signal });
  };
}

interface Told {
  first: [
    ends: readonly ApplicationWatchEvent[],
    present: readonly Application[],
    offer: (app: Application) => ApplicationWatchEvent | undefined,
  ];
  queue: CoalescingQueue<ApplicationWatchEvent>;
  stop(): void;
  signal: AbortSignal;
}

/** What there is is made into messages one by one as the caller takes them; changes wait meanwhile. */
async function* tell({ first, queue, stop, signal }: Told): AsyncIterable<ApplicationWatchEvent> {
  try {
    const [ends, present, offer] = first;
    yield* ends;
    for (const app of present) {
      const event = offer(app);
      if (event) yield event;
    }
    for (;;) yield await queue.take(signal);
  } finally {
    stop();
  }
}

function idOf({ metadata }: Application): string {
  return `${metadata.namespace}/${metadata.name}`;
}
