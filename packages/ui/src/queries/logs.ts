import { growingPause } from "@capstan/flow";
import { type LogEntry, routes } from "@capstan/wire";
import { useEffect, useState } from "react";
import type { AppRef } from "../paths.ts";
import type { ResourceId } from "../resource-id.ts";
import { pause } from "../streams/keep-live.ts";
import { RequestFailure } from "../streams/request-failure.ts";
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
  /** The stream was lost and is asked for again, from its last line on. */
  readonly lost: boolean;
  readonly failure: unknown;
}

const keptLines = 20_000;
const batchMs = 100;
const nothing: Logs = { lines: [], dropped: 0, ended: false, lost: false, failure: undefined };
const retry = { firstMs: 500, longestMs: 15_000 } as const;

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

type Asked = ReturnType<typeof request>;
type Tell = (change: (old: Logs) => Logs) => void;

/** Reads until the server says that this was the last line; a stream that breaks off goes on where it was. */
async function follow(asked: Asked, tell: Tell, signal: AbortSignal): Promise<void> {
  const seen = new LastLines();
  for (let attempt = 0; !signal.aborted; ) {
    const { isWhole, failure, gotLines } = await readOnce(seen.continued(asked), { seen, tell, signal });
    if (signal.aborted) return;
    const isRefused = failure instanceof RequestFailure && failure.status >= 400 && failure.status < 500;
    if (isWhole || isRefused || !asked.follow) {
      const broken = !isWhole && failure === undefined ? new Error("The log broke off.") : failure;
      return tell((old) => ({ ...old, ended: true, lost: false, failure: broken }));
    }
    tell((old) => ({ ...old, lost: true }));
    attempt = gotLines ? 1 : attempt + 1;
    await pause(growingPause(attempt, retry), signal);
  }
}

interface Reading {
  seen: LastLines;
  tell: Tell;
  signal: AbortSignal;
}

async function readOnce(asked: Asked, { seen, tell, signal }: Reading) {
  let waiting: LogLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWhole = false;
  let gotLines = false;
  const flush = () => {
    timer = undefined;
    const added = waiting;
    waiting = [];
    if (!signal.aborted) tell((old) => ({ ...appended(old, added), lost: false }));
  };
  const onMessage = (entry: LogEntry) => {
    if (entry.last && !entry.content) isWhole = true;
    else {
      const line = seen.take(entry);
      if (line === undefined) return;
      gotLines = true;
      waiting.push(line);
    }
    timer ??= setTimeout(flush, batchMs);
  };
  let failure: unknown;
  try {
    await readStream(routes.readLogs, asked, {
      signal,
      onMessage,
      onOpen: () => tell((old) => ({ ...old, lost: false })),
    });
  } catch (problem) {
    failure = problem;
  }
  clearTimeout(timer);
  flush();
  return { isWhole, failure, gotLines };
}

/** Where a log was, Pod by Pod: servers go on from a whole second, so that its lines come twice. */
export class LastLines {
  #next = 0;
  #newest = "";
  /** Of each Pod its newest time, and which of its lines have that time. */
  readonly #pods = new Map<string, { time: string; texts: string[] }>();
  /** Of those, what a stream that goes on brings again. */
  #again = new Map<string, { time: string; texts: string[] }>();

  /** The same question from the last line on. */
  continued(asked: Asked): Asked & { sinceTime?: string } {
    if (this.#newest === "") return asked;
    this.#again = new Map(
      [...this.#pods].map(([pod, { time, texts }]) => [pod, { time, texts: [...texts] }]),
    );
    const { tailLines: _, sinceSeconds: __, ...rest } = asked;
    const sinceTime = `${this.#newest.slice(0, 19)}Z`;
    return { ...rest, tailLines: keptLines, sinceTime };
  }

  /** The line of an entry; undefined where it was there before. */
  take(entry: LogEntry): LogLine | undefined {
    const { podName: pod, content: text } = entry;
    const time = entry.timeStampStr ?? entry.timeStamp ?? "";
    const again = this.#again.get(pod);
    if (again && time !== "") {
      if (instant(time) < instant(again.time)) return undefined;
      const at = time === again.time ? again.texts.indexOf(text) : -1;
      if (at >= 0) {
        again.texts.splice(at, 1);
        return undefined;
      }
    }
    const last = this.#pods.get(pod);
    if (last?.time === time) last.texts.push(text);
    else this.#pods.set(pod, { time, texts: [text] });
    if (time > this.#newest) this.#newest = time;
    return { id: this.#next++, pod, time, text };
  }
}

/** RFC 3339 in UTC with nanoseconds, some of them with fewer digits, in the order of their texts. */
function instant(time: string): string {
  const [seconds = "", fraction = ""] = time.replace(/Z$/, "").split(".");
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}

function appended(old: Logs, added: readonly LogLine[]): Logs {
  if (added.length === 0) return old;
  const all = [...old.lines, ...added];
  const over = Math.max(0, all.length - keptLines);
  return { ...old, lines: over > 0 ? all.slice(over) : all, dropped: old.dropped + over };
}
