import type { Entry } from "./world.ts";

export function eventsOf({ app, nodes }: Entry, query: URLSearchParams): unknown[] {
  const name = query.get("resourceName");
  const about =
    name === null
      ? nodes.filter(({ kind }) => kind === "Pod").slice(0, 6)
      : nodes.filter((node) => node.name === name);
  const objects = about.map((node, index) => {
    const unwell = node.health?.status !== "Healthy";
    return {
      metadata: { name: `${node.name}.${index}`, uid: `${node.uid}-event` },
      type: unwell ? "Warning" : "Normal",
      reason: unwell ? "BackOff" : "Started",
      message: unwell ? (node.health?.message ?? "Back-off") : `Started container main of ${node.name}`,
      count: unwell ? 41 : 1,
      involvedObject: { kind: node.kind, name: node.name },
      lastTimestamp: new Date(Date.now() - index * 190_000).toISOString(),
    };
  });
  const own = {
    metadata: { name: "sync", uid: "sync-event" },
    type: "Normal",
    reason: "OperationCompleted",
    message: `Sync operation to ${app.status?.sync?.revision ?? ""} succeeded`,
    count: 1,
    involvedObject: { kind: "Application", name: app.metadata.name },
    lastTimestamp: app.status?.operationState?.finishedAt,
  };
  return name === null ? [...objects, own] : objects;
}
