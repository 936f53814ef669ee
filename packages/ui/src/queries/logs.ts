import { type LogEntry, routes } from "@capstan/wire";
import { useEffect, useState } from "react";
import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";
import { readStream } from "./client.ts";

export interface LogQuery {
  readonly container: string;
  readonly previous: boolean;
  /** 0: from the beginning, as far as `tail` reaches. */
  readonly sinceSeconds: number;
  readonly tail: number;
  readonly follow: boolean;
}

export interface LogLine {
  readonly id: number;
  readonly pod: string;
  readonly time: string;
  readonly text: string;
}

export interface Logs {
  readonly lines: readonly LogLine[];
  /** Lines that were dropped from the top to stay within the limit. */
  readonly dropped: number;
  readonly ended: boolean;
  readonly failure: unknown;
}

const keptLines = 20_000;
const batchMs = 100;
const nothing: Logs = { lines: [], dropped: 0, ended: false, failure: undefined };

/** Reads the log of one object's Pods, from the beginning whenever the question changes. */
export function useLogs(app: AppRef, resource: ResourceId, query: LogQuery): Logs {
  const [logs, setLogs] = useState<Logs>(nothing);
  const question = JSON.stringify([app, resource.kind, resource.namespace, resource.name, query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question holds all of them as a text
  useEffect(() => {
    const stop = new AbortController();
    setLogs(nothing);
    void follow(request(app, resource, query), setLogs, stop.signal);
    return () => stop.abort();
  }, [question]);
  return logs;
}

function request(app: AppRef, resource: ResourceId, query: LogQuery) {
  const { kind, group, namespace, name } = resource;
  const of = kind === "Pod" ? { podName: name } : { kind, group, resourceName: name };
  return {
    name: app.name,
    appNamespace: app.namespace,
    namespace,
    ...of,
    follow: query.follow,
    tailLines: query.tail,
    ...(query.container && { container: query.container }),
    ...(query.previous && { previous: true }),
    ...(query.sinceSeconds > 0 && { sinceSeconds: query.sinceSeconds }),
  };
}

async function follow(
  asked: ReturnType<typeof request>,
  tell: (change: (old: Logs) => Logs) => void,
  signal: AbortSignal,
): Promise<void> {
  let waiting: LogLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let id = 0;
  const flush = () => {
    timer = undefined;
    const added = waiting;
    waiting = [];
    if (!signal.aborted) tell((old) => appended(old, added));
  };
  const onMessage = (entry: LogEntry) => {
    if (entry.last && !entry.content) return;
    waiting.push({
      id: id++,
      pod: entry.podName,
      time: entry.timeStampStr ?? entry.timeStamp ?? "",
      text: entry.content,
    });
    timer ??= setTimeout(flush, batchMs);
  };
  let failure: unknown;
  try {
    await readStream(routes.readLogs, asked, { signal, onMessage });
  } catch (problem) {
    failure = problem;
  }
  clearTimeout(timer);
  flush();
  if (!signal.aborted) tell((old) => ({ ...old, ended: true, failure }));
}

function appended(old: Logs, added: readonly LogLine[]): Logs {
  const all = [...old.lines, ...added];
  const over = Math.max(0, all.length - keptLines);
  return { ...old, lines: over > 0 ? all.slice(over) : all, dropped: old.dropped + over };
}
