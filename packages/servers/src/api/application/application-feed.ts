import { BoundedMap } from "@capstan/flow";
import type { LiveChange } from "@capstan/kube";
import type { ApplicationWatchEvent } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";

/** Changes of Applications, told to every listener as one and the same event. */
export interface ApplicationFeed {
  listen(listener: (event: ApplicationWatchEvent) => void): () => void;
  /** Those that went a moment ago: who asks for a deletion and then waits for it may come too late to see it. */
  deleted(name: string): readonly ApplicationWatchEvent[];
  close(): void;
}

const [rememberedMs, mostRemembered] = [30_000, 1_000];

export function createApplicationFeed(
  context: Pick<ApiContext, "live" | "clusters" | "controlNamespace" | "clock">,
): ApplicationFeed {
  const { live, clock } = context;
  const deleted = new BoundedMap<{ event: ApplicationWatchEvent; at: number }>(mostRemembered);
  const listeners = new Set<(event: ApplicationWatchEvent) => void>();
  const close = live.onChange((change) => {
    if (listeners.size === 0 && change.current !== undefined) return;
    const event = readEvent(context, change);
    if (!event) return;
    const id = `${change.key.namespace}/${change.key.name}`;
    if (event.type === "DELETED") deleted.set(id, { event, at: clock.now() });
    else deleted.delete(id);
    for (const listener of listeners) listener(event);
  });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    deleted: (name) =>
      deleted
        .entries()
        .filter(([id, { at }]) => id.endsWith(`/${name}`) && clock.now() - at < rememberedMs)
        .map(([, { event }]) => event),
    close,
  };
}

function readEvent(
  context: Pick<ApiContext, "live" | "clusters" | "controlNamespace">,
  { key, previous, current }: LiveChange,
): ApplicationWatchEvent | undefined {
  if (key.kind !== "Application" || key.group !== applicationGroup) return undefined;
  const object = current ?? previous;
  if (!isApplication(object)) return undefined;
  const application = withResourceHealth(context, object);
  if (current === undefined) return { type: "DELETED", application };
  return { type: previous === undefined ? "ADDED" : "MODIFIED", application };
}
