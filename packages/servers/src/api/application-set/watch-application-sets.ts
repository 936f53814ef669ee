import type { LiveChange } from "@capstan/kube";
import { isLiveSet } from "@capstan/model";
import type { ApplicationSetWatchEvent } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { applicationGroup } from "../application/read-application.ts";
import { readVersion } from "../application/resource-version.ts";
import { CoalescingQueue } from "../coalescing-queue.ts";
import { applicationSetFilter } from "./application-set-filter.ts";
import type { ApplicationSetNeeds, StoredSet } from "./find-application-set.ts";

/** First what there is, unless the caller has it already; then each change. */
export function watchApplicationSets(context: ApplicationSetNeeds): HandlerOf<"watchApplicationSets"> {
  return async (query, { user, signal }) => {
    const isWanted = applicationSetFilter(context, query, user);
    const since = readVersion(query.resourceVersion);
    const isNewer = ({ metadata }: StoredSet) => readVersion(metadata.resourceVersion) > since;
    const queue = new CoalescingQueue<ApplicationSetWatchEvent>();
    const offer = (type: ApplicationSetWatchEvent["type"], applicationSet: StoredSet): void => {
      const { namespace, name } = applicationSet.metadata;
      if (isWanted(applicationSet)) queue.push(`${namespace}/${name}`, { type, applicationSet });
    };
    // Listening begins before what there is is looked at, so that nothing falls between the two.
    const stop = context.live.onChange((change) => {
      const event = readEvent(change);
      if (event) offer(event.type, event.set);
    });
    for (const set of context.live.ofKind(applicationGroup, "ApplicationSet"))
      if (isLiveSet(set) && isNewer(set)) offer("ADDED", set);
    return drain(queue, stop, signal);
  };
}

function readEvent({
  key,
  previous,
  current,
}: LiveChange): { type: ApplicationSetWatchEvent["type"]; set: StoredSet } | undefined {
  if (key.kind !== "ApplicationSet" || key.group !== applicationGroup) return undefined;
  const set = current ?? previous;
  if (!isLiveSet(set)) return undefined;
  if (current === undefined) return { type: "DELETED", set };
  return { type: previous === undefined ? "ADDED" : "MODIFIED", set };
}

async function* drain(
  queue: CoalescingQueue<ApplicationSetWatchEvent>,
  stop: () => void,
  signal: AbortSignal,
): AsyncIterable<ApplicationSetWatchEvent> {
  try {
    for (;;) yield await queue.take(signal);
  } finally {
    stop();
  }
}
