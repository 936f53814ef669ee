import type { ServerResponse } from "node:http";
import { applicationRow } from "@capstan/model";
import { packRows } from "@capstan/wire";
import type { Asked } from "./routes.ts";
import type { Entry, World } from "./world.ts";

const heartbeatMs = 15_000;

/** Answers whether the question was one for a stream; then the response stays open. */
export function openStream(asked: Asked, response: ServerResponse): boolean {
  const { path, query, world } = asked;
  const write = (result: unknown) => response.write(`${JSON.stringify({ result })}\n`);
  const begin = (start: () => () => void) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const beat = setInterval(() => response.write("\n"), heartbeatMs);
    const stop = start();
    response.on("close", () => {
      clearInterval(beat);
      stop();
    });
  };
  if (path === "/api/v1/stream/application-rows") {
    begin(() =>
      world.watch(({ app }, type) => {
        const row = applicationRow(app);
        const change =
          type === "DELETED" ? { gone: [`${row.namespace}/${row.name}`] } : { rows: packRows([row]) };
        write({ ...change, resourceVersion: world.version });
      }),
    );
    return true;
  }
  if (path === "/api/v1/stream/applications") {
    const only = query.get("name");
    begin(() => {
      // What happened between the answer that named the version and this question.
      const now = only === null ? undefined : (world.entries.get(only) ?? world.gone.get(only));
      if (only !== null && now && now.app.metadata.resourceVersion !== query.get("resourceVersion"))
        write({ type: world.entries.has(only) ? "MODIFIED" : "DELETED", application: now.app });
      return world.watch((entry, type) => {
        if (only === null || entry.app.metadata.name === only) write({ type, application: entry.app });
      });
    });
    return true;
  }
  if (path === "/api/v1/stream/applicationsets") {
    const only = query.get("name");
    const isWanted = (name: string) => only === null || only === name;
    begin(() =>
      world.sets.watch((applicationSet) => {
        if (isWanted(applicationSet.metadata.name)) write({ type: "MODIFIED", applicationSet });
      }),
    );
    return true;
  }
  const tree = path.match(/^\/api\/v1\/stream\/applications\/([^/]+)\/resource-tree\/changes$/);
  if (tree) {
    const name = decodeURIComponent(tree[1] ?? "");
    const tell = ({ nodes, orphans }: Entry) => write({ tree: { nodes, orphanedNodes: orphans } });
    const first = world.entries.get(name);
    begin(() => {
      if (first) tell(first);
      return world.watch((entry) => entry.app.metadata.name === name && tell(entry));
    });
    return true;
  }
  const logs = path.match(/^\/api\/v1\/applications\/([^/]+)\/logs$/);
  const entry = world.entries.get(decodeURIComponent(logs?.[1] ?? ""));
  if (!entry) return false;
  begin(() => writeLogs({ entry, query, world }, write));
  return true;
}

const texts = [
  "listening on :8080",
  'GET /healthz 200 1ms agent="kube-probe/1.33"',
  "cache warm: 1284 entries in 312 ms",
  'POST /orders 201 18ms request_id="9f31c2"',
  'WARN slow query 812 ms: select * from orders where state = "open"',
  "ERROR connect ECONNREFUSED 10.96.0.14:5432",
];

function writeLogs(
  { entry, query }: { entry: Entry; query: URLSearchParams; world: World },
  write: (result: unknown) => void,
): () => void {
  const kind = query.get("kind") ?? "Pod";
  const name = query.get("podName") ?? query.get("resourceName") ?? "";
  const pods = entry.nodes.filter(
    (node) => node.kind === "Pod" && (kind === "Pod" ? node.name === name : node.name.startsWith(name)),
  );
  let count = 0;
  const line = (ageMs: number) => {
    const timeStampStr = new Date(Date.now() - ageMs).toISOString();
    const podName = pods[count % Math.max(pods.length, 1)]?.name ?? name;
    write({ content: texts[count++ % texts.length], timeStampStr, podName, last: false });
  };
  for (let index = 0; index < 240; index++) line((240 - index) * 900);
  if (query.get("follow") !== "true") return () => undefined;
  const timer = setInterval(() => line(0), 700);
  return () => clearInterval(timer);
}
