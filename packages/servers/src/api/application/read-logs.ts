import { isRecord } from "@capstan/formats";
import { linesOf, type TenantCluster } from "@capstan/kube";
import { CapstanError, instanceName, keyOf, type Manifest, messageOf } from "@capstan/model";
import type { LogEntry } from "@capstan/wire";
import type { HandlerOf, StreamHandler } from "../../call.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { logLineFilter } from "./log-line-filter.ts";
import { mergeLogs } from "./merge-logs.ts";
import { openTenant } from "./open-tenant.ts";

type Needs = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "controlNamespace" | "clusters" | "settings" | "clock"
>;
type LogsQuery = Parameters<HandlerOf<"readLogs">>[0];

export function readPodLogs(context: Needs): HandlerOf<"readPodLogs"> {
  return readLogs(context);
}

/** The log of one Pod, or of all of the tree or of one resource of it, in order of time. */
export function readLogs(context: Needs): StreamHandler<LogsQuery, LogEntry> {
  return async (query, { user, signal }) => {
    const app = await findApplication(context, { request: query, user, action: "get", signal });
    const object = applicationObject(app, context.controlNamespace);
    requireRight(context.rights, user, { resource: "logs", action: "get", object });
    const cluster = openTenant(context, app);
    await cluster.live.ready(signal);
    const pods = podsOf(cluster, instanceName(app, context.controlNamespace), query);
    const limit = Number(context.settings.current.general.raw["server.maxPodLogsToRender"]) || 10;
    if (pods.length > limit)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "podName",
        problem: `${pods.length} Pods match, more than the limit of ${limit}; name a Pod or a resource`,
      });
    return mergedLogs(context, { cluster, pods, query, signal });
  };
}

interface LogSource {
  cluster: TenantCluster;
  pods: readonly Manifest[];
  query: LogsQuery;
  signal: AbortSignal;
}

async function* mergedLogs(
  { clock }: Needs,
  { cluster, pods, query, signal }: LogSource,
): AsyncIterable<LogEntry> {
  const isWanted = logLineFilter(query.filter, query.matchCase ?? false);
  const streams = pods.map((pod) => podLines(cluster, pod, { query, signal }));
  let isFollowed = false;
  for await (const entry of mergeLogs(streams, { isFollowed: query.follow ?? false, clock, signal })) {
    if (query.untilTime && (entry.timeStampStr ?? "") > query.untilTime) break;
    if (isWanted(entry.content)) yield entry;
    isFollowed = true;
  }
  if (pods.length > 0 || isFollowed)
    yield { content: "", timeStamp: "0001-01-01T00:00:00Z", timeStampStr: "", podName: "", last: true };
}

function podsOf({ live }: TenantCluster, instance: string, query: LogsQuery): Manifest[] {
  const { podName, kind, group, namespace, resourceName } = query;
  // An empty group is any (server/application isTheSelectedOne): `argocd app logs --kind Deployment` names none.
  const isNamed = (object: Manifest): boolean => {
    const key = keyOf(object);
    if (namespace && key.namespace !== "" && key.namespace !== namespace) return false;
    if (kind && key.kind !== kind) return false;
    if (group && key.group !== group) return false;
    return !resourceName || key.name === resourceName;
  };
  const pods = new Map<string, Manifest>();
  const walk = (object: Manifest, isBelow: boolean): void => {
    const isChosen = isBelow || isNamed(object);
    const { uid = "" } = object.metadata;
    if (object.kind === "Pod" && object.apiVersion === "v1" && isChosen) pods.set(uid, object);
    for (const child of live.children(uid)) walk(child, isChosen);
  };
  const asksForAll = !kind && !group && !resourceName;
  for (const root of live.managedBy(instance)) walk(root, asksForAll);
  return [...pods.values()].filter(({ metadata }) => {
    if (namespace && metadata.namespace !== namespace && asksForAll) return false;
    return !podName || metadata.name === podName;
  });
}

/** Lines of one Pod. One that cannot be read gives one line with the reason (Argo CD: server/application PodLogs). */
async function* podLines(
  { client }: TenantCluster,
  pod: Manifest,
  { query, signal }: Pick<LogSource, "query" | "signal">,
): AsyncIterable<LogEntry> {
  const { name: podName = "" } = pod.metadata;
  const parameters = {
    container: query.container || firstContainer(pod),
    follow: query.follow,
    previous: query.previous,
    sinceSeconds: positive(query.sinceSeconds),
    sinceTime: query.sinceTime,
    tailLines: positive(query.tailLines),
    timestamps: true,
  };
  try {
    const { body } = await client.podLog(pod, parameters, signal);
    const lines = typeof body === "string" ? textLines(body) : linesOf(body);
    for await (const line of lines) yield readLine(line, podName);
  } catch (error) {
    signal.throwIfAborted();
    yield { content: `cannot read the log: ${messageOf(error)}`, podName, last: false };
  }
}

/** `argocd app logs` sends 0 for what was not asked for (server/application PodLogs). */
function positive(count: number | undefined): number | undefined {
  return count !== undefined && count > 0 ? count : undefined;
}

async function* textLines(text: string): AsyncIterable<string> {
  for (const line of text.split("\n")) if (line !== "") yield line;
}

function firstContainer({ spec }: Manifest): string | undefined {
  const containers = isRecord(spec) && Array.isArray(spec.containers) ? spec.containers : [];
  const [first] = containers;
  return isRecord(first) && typeof first.name === "string" ? first.name : undefined;
}

function readLine(line: string, podName: string): LogEntry {
  const space = line.indexOf(" ");
  const time = space < 0 ? line : line.slice(0, space);
  if (Number.isNaN(Date.parse(time))) return { content: line, podName, last: false };
  const content = space < 0 ? "" : line.slice(space + 1);
  return { content, timeStamp: time, timeStampStr: time, podName, last: false };
}
