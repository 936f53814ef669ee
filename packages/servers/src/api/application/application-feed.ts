import type { LiveChange } from "@capstan/kube";
import type { ApplicationWatchEvent } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";

/** Changes of Applications, told to every listener as one and the same event. */
export interface ApplicationFeed {
  listen(listener: (event: ApplicationWatchEvent) => void): () => void;
  close(): void;
}

export function createApplicationFeed(
  context: Pick<ApiContext, "live" | "clusters" | "controlNamespace">,
): ApplicationFeed {
  const { live } = context;
  const listeners = new Set<(event: ApplicationWatchEvent) => void>();
  const close = live.onChange((change) => {
    if (listeners.size === 0) return;
    const event = readEvent(context, change);
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
