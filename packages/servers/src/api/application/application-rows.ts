import { type Clock, ownTurn } from "@capstan/flow";
import { type Application, type ApplicationRow, applicationRow } from "@capstan/model";
import { type ApplicationRowsChange, type PackedRows, packRows } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { CoalescingQueue } from "../coalescing-queue.ts";
import type { ApiContext } from "../context.ts";
import { readPage, takePage } from "../paging/page-query.ts";
import type { ApplicationFeed } from "./application-feed.ts";
import type { ApplicationIndex } from "./application-index.ts";
import { applicationSorts, placeBy } from "./application-orders.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { readVersion } from "./resource-version.ts";

interface Needs extends Pick<ApiContext, "live" | "clock"> {
  readonly index: ApplicationIndex;
  readonly feed: ApplicationFeed;
}

/** Rows of one item: nobody waits for longer than it takes to make so many. */
const inOneItem = 500;

/** What the caller may see of all Applications, or a page of it, in rows; pages and versions as of `listApplications`. */
export function listApplicationRows({ index, feed }: Needs): HandlerOf<"listApplicationRows"> {
  return async (query, { user, signal, madeFrom }) => {
    const page = readPage(query, { sorts: applicationSorts, question: "rows" });
    const state = index.state();
    if (state) madeFrom?.(state);
    const newest = feed.newest();
    const { items, metadata } = takePage(page, index.sortedBy(page.sort), {
      isWanted: index.maySee(user),
      placeOf: placeBy(page.sort),
      version: newest === 0n ? "" : String(newest),
    });
    const packed: PackedRows<ApplicationRow>[] = [];
    for (let at = 0; at < items.length; at += inOneItem) {
      if (at > 0) await ownTurn(signal);
      packed.push(packRows(items.slice(at, at + inOneItem).map(applicationRow)));
    }
    return { metadata, items: packed };
  };
}

/** The first change is told at once, those that come within this time after it together. */
const settleMs = 300;

/** What has changed since a list's resource version, and then each change. */
export function watchApplicationRows(context: Needs): HandlerOf<"watchApplicationRows"> {
  const { live, feed, index } = context;
  return async ({ resourceVersion }, { user, signal }) => {
    const since = readVersion(resourceVersion);
    const ended = since === 0n ? undefined : feed.deletedSince(since);
    if (ended === undefined) return once({ stale: true, resourceVersion: "" });
    const maySee = index.maySee(user);
    const waiting = new CoalescingQueue<Application | undefined>();
    const seen = { version: since };
    const add = (app: Application, previous: Application | undefined, isGone: boolean): void => {
      const { namespace = "", name, resourceVersion: its } = app.metadata;
      const version = readVersion(its);
      if (version > seen.version) seen.version = version;
      const key = `${namespace}/${name}`;
      if (!isGone && maySee(app)) waiting.push(key, app);
      else if (maySee(previous ?? app)) waiting.push(key, undefined);
    };
    // Listening begins before what there is is looked at, so that nothing falls between the two.
    const stop = feed.listen(({ event: { type, application }, previous }) =>
      add(application, previous, type === "DELETED"),
    );
    for (const { application } of ended) add(application, undefined, true);
    for (const app of live.ofKind(applicationGroup, "Application"))
      if (isApplication(app) && readVersion(app.metadata.resourceVersion) > since) add(app, undefined, false);
    return tell(waiting, { ...context, stop, seen, signal });
  };
}

async function* once(change: ApplicationRowsChange): AsyncIterable<ApplicationRowsChange> {
  yield change;
}

interface Told {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The newest of all that was ever pushed. */
  readonly seen: { readonly version: bigint };
  stop(): void;
}

async function* tell(
  waiting: CoalescingQueue<Application | undefined>,
  { clock, signal, seen, stop }: Told,
): AsyncIterable<ApplicationRowsChange> {
  try {
    for (;;) {
      const all = await waiting.takeAll(signal);
      // Nothing waits now: who has this has all up to the newest.
      const resourceVersion = String(seen.version);
      const rows = [...all.values()].filter((app) => app !== undefined).map(applicationRow);
      const gone = [...all].flatMap(([key, app]) => (app === undefined ? [key] : []));
      yield {
        ...(rows.length > 0 && { rows: packRows(rows) }),
        ...(gone.length > 0 && { gone }),
        resourceVersion,
      };
      await clock.sleep(settleMs, signal);
    }
  } finally {
    stop();
  }
}
