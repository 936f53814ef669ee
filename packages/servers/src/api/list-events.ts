import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { KubeEvent, KubeEventList } from "@capstan/wire";

interface EventQuery {
  namespace: string;
  object: { name: string; uid?: string | undefined };
}

/** Events of one object, the newest last as kubectl shows them. */
export async function listEvents(
  kube: Pick<KubeClient, "list">,
  { namespace, object }: EventQuery,
  signal: AbortSignal,
): Promise<KubeEventList> {
  const parts = [`involvedObject.name=${object.name}`, `involvedObject.namespace=${namespace}`];
  if (object.uid) parts.push(`involvedObject.uid=${object.uid}`);
  const query = { apiVersion: "v1", kind: "Event", namespace, fieldSelector: parts.join(",") };
  const { items, resourceVersion } = await kube.list(query, signal);
  return eventList(items, resourceVersion);
}

export function eventList(items: readonly Manifest[], resourceVersion = ""): KubeEventList {
  const events = items.filter(isEvent).sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
  return { metadata: { resourceVersion }, items: events };
}

function isEvent(object: Manifest): object is Manifest & KubeEvent {
  return typeof object.metadata.name === "string" && isRecord(object.involvedObject);
}

function timeOf({ lastTimestamp, eventTime, metadata }: KubeEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}
