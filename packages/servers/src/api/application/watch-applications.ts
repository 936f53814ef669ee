import type { Application } from "@capstan/model";
import type { ApplicationWatchEvent } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { CoalescingQueue } from "../coalescing-queue.ts";
import type { ApiContext } from "../context.ts";
import type { ApplicationFeed } from "./application-feed.ts";
import { applicationFilter } from "./application-query.ts";
import { readVersion } from "./list-applications.ts";
import { fieldProjection } from "./project-fields.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";

type Needs = Pick<ApiContext, "live" | "rights" | "controlNamespace" | "clusters" | "settings"> & {
  feed: ApplicationFeed;
};

/** First what there is, unless the caller has it already; then each change. */
export function watchApplications(context: Needs): HandlerOf<"watchApplications"> {
  return async (query, { user, signal }) => {
    const isWanted = applicationFilter(context, query, user);
    const since = readVersion(query.resourceVersion);
    // Who watches one application must not miss anything and gets it at the same version again, as in Argo CD.
    const known = query.name ? since - 1n : since;
    const isNewer = ({ metadata }: Application) => readVersion(metadata.resourceVersion) > known;
    const project = sharedProjection(query.fields);
    const queue = new CoalescingQueue<ApplicationWatchEvent>();
    const offer = (event: ApplicationWatchEvent): void => {
      const { namespace, name } = event.application.metadata;
      if (event.type !== "DELETED" && !isNewer(event.application)) return;
      if (isWanted(event.application)) queue.push(`${namespace}/${name}`, project(event));
    };
    // Listening begins before the snapshot is taken, so that nothing falls between the two. For somebody who
    // has a list already, the snapshot is what has changed since.
    const stop = context.feed.listen(offer);
    const type = since === 0n || query.name ? "ADDED" : "MODIFIED";
    for (const app of context.live.ofKind(applicationGroup, "Application")) {
      if (isApplication(app) && isNewer(app)) offer({ type, application: withResourceHealth(context, app) });
    }
    if (query.name && since === 0n) for (const event of context.feed.deleted(query.name)) offer(event);
    return drain(queue, stop, signal);
  };
}

async function* drain(
  queue: CoalescingQueue<ApplicationWatchEvent>,
  stop: () => void,
  signal: AbortSignal,
): AsyncIterable<ApplicationWatchEvent> {
  try {
    for (;;) yield await queue.take(signal);
  } finally {
    stop();
  }
}

const projections = new Map<string, (event: ApplicationWatchEvent) => ApplicationWatchEvent>();
const maxProjections = 64;

/** Watchers with the same `fields` share the projected event, so that it is serialised once. */
function sharedProjection(
  fields: string | undefined,
): (event: ApplicationWatchEvent) => ApplicationWatchEvent {
  if (!fields) return (event) => event;
  const known = projections.get(fields);
  if (known) return known;
  const cut = fieldProjection(fields.replaceAll("result.", "").replaceAll("items.", "application."));
  const made = new WeakMap<ApplicationWatchEvent, ApplicationWatchEvent>();
  const project = (event: ApplicationWatchEvent): ApplicationWatchEvent => {
    const before = made.get(event);
    if (before) return before;
    // A projection has fewer fields than its type says: who asks for one knows.
    const projected: ApplicationWatchEvent = { type: event.type, application: cutApplication(cut, event) };
    made.set(event, projected);
    return projected;
  };
  if (projections.size < maxProjections) projections.set(fields, project);
  return project;
}

function cutApplication(cut: (value: unknown) => unknown, event: ApplicationWatchEvent): Application {
  return (cut(event) as { application?: Application }).application ?? event.application;
}
