import { hash } from "node:crypto";
import type { Clock } from "@capstan/flow";
import { formatTime, stringifyJson } from "@capstan/formats";
import { type Manifest, messageOf } from "@capstan/model";
import type { KubeLog } from "../kube-log.ts";
import type { KubeClient } from "./kube-client.ts";
import { creationPath, withQuery } from "./object-paths.ts";

export interface EventText {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  annotations?: Readonly<Record<string, string>>;
}

/** Writes core/v1 Events about our objects. Nobody waits for them, and a lost one harms nobody. */
export interface EventRecorder {
  record(about: Manifest, text: EventText): void;
  /** Resolves when all that were recorded have been sent. */
  flush(): Promise<void>;
}

interface Input {
  client: KubeClient;
  component: string;
  clock: Clock;
  log: Pick<KubeLog, "warn">;
  signal: AbortSignal;
  /** Labels of the events about an object. */
  labelsOf?: (about: Manifest) => Readonly<Record<string, string>> | undefined;
}

/** Messages may not be longer than the API server takes. */
const maxMessage = 1024;
const maxInFlight = 1000;

export function createEventRecorder({
  client,
  component,
  clock,
  log,
  signal,
  labelsOf,
}: Input): EventRecorder {
  const inFlight = new Set<Promise<void>>();
  let count = 0;
  return {
    record(about, text) {
      if (inFlight.size >= maxInFlight || signal.aborted) return;
      count += 1;
      const event = eventOf(about, text, {
        component,
        at: clock.now(),
        count,
        labels: labelsOf?.(about),
      });
      const sent = write(client, event, signal)
        .catch((error: unknown) => {
          if (!signal.aborted)
            log.warn({ problem: messageOf(error), reason: text.reason }, "an event was not written");
        })
        .finally(() => inFlight.delete(sent));
      inFlight.add(sent);
    },
    async flush() {
      await Promise.all(inFlight);
    },
  };
}

const events = { group: "", version: "v1", resource: "events", namespaced: true };

/** What the server has made of it interests nobody: the answer is not parsed. */
async function write(client: KubeClient, event: Manifest, signal: AbortSignal): Promise<void> {
  const url = withQuery(creationPath(events, event.metadata), { fieldValidation: "Ignore" });
  const headers = { "content-type": "application/json" };
  await client.request({ method: "POST", url, headers, body: stringifyJson(event), signal });
}

function eventOf(
  about: Manifest,
  text: EventText,
  origin: {
    component: string;
    at: number;
    count: number;
    labels: Readonly<Record<string, string>> | undefined;
  },
): Manifest {
  const { name = "", namespace = "default", uid } = about.metadata;
  const suffix = hash("sha1", `${uid} ${origin.at} ${origin.count} ${text.message}`).slice(0, 16);
  const time = formatTime(origin.at);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name.slice(0, 230)}.${suffix}`,
      namespace,
      ...(origin.labels ? { labels: origin.labels } : {}),
      ...(text.annotations ? { annotations: text.annotations } : {}),
    },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      namespace,
      uid,
      resourceVersion: about.metadata.resourceVersion,
    },
    type: text.type,
    reason: text.reason,
    message: text.message.slice(0, maxMessage),
    source: { component: origin.component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
