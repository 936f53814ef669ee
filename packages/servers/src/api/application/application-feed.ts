import type { LiveChange, LiveState } from "@capstan/kube";
import type { ApplicationWatchEvent } from "@capstan/wire";
import { applicationGroup, isApplication } from "./read-application.ts";

/** Changes of Applications, told to every listener as one and the same event. */
export interface ApplicationFeed {
  listen(listener: (event: ApplicationWatchEvent) => void): () => void;
  close(): void;
}

export function createApplicationFeed(live: Pick<LiveState, "onChange">): ApplicationFeed {
  const listeners = new Set<(event: ApplicationWatchEvent) => void>();
  const close = live.onChange((change) => {
    if (listeners.size === 0) return;
    const event = readEvent(change);
    if (event) for (const listener of listeners) listener(event);
  });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
}

function readEvent({ key, previous, current }: LiveChange): ApplicationWatchEvent | undefined {
  if (key.kind !== "Application" || key.group !== applicationGroup) return undefined;
  const application = current ?? previous;
  if (!isApplication(application)) return undefined;
  if (current === undefined) return { type: "DELETED", application };
  return { type: previous === undefined ? "ADDED" : "MODIFIED", application };
}
