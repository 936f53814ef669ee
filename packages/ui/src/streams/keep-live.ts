import { growingPause } from "@capstan/flow";
import { RequestFailure } from "./request-failure.ts";

/** What is known of a stream, or of all of a page. */
export interface Connection {
  /** Idle: nothing is followed. Refused: the server answers, and does not give what is asked for. */
  readonly state: "idle" | "connecting" | "live" | "refused" | "lost";
  /** When the data on the screen was last known to be true. */
  readonly lastLiveAt?: number;
  readonly problem?: string;
}

export interface LiveSource<State, Message> {
  /** Undefined: it is followed no more. */
  report(connection: Connection | undefined): void;
  load(signal: AbortSignal): Promise<State>;
  follow(
    state: State,
    reader: { signal: AbortSignal; onOpen(): void; onMessage(message: Message): void },
    // biome-ignore lint/suspicious/noConfusingVoidType: most streams end with nothing to say
  ): Promise<"load again" | void>;
  apply(state: State, messages: readonly Message[]): State;
  publish(state: State): void;
  /** The object itself is gone or forbidden: asking again would not help. */
  fail(failure: unknown): void;
}

/** Messages within one frame of this length reach the page together; while more come, they are shown more seldom. */
const [batchMs, busyBatchMs] = [80, 300];
const firstRetryMs = 500;
const lastRetryMs = 15_000;

/**
 * Loads, follows, and begins again after a loss, until aborted. A hidden page gives its connections back,
 * since a browser opens no more than six to one HTTP/1.1 server.
 */
export async function keepLive<State, Message>(
  source: LiveSource<State, Message>,
  signal: AbortSignal,
): Promise<void> {
  let attempt = 0;
  let lastLiveAt: number | undefined;
  const live = () => {
    attempt = 0;
    lastLiveAt = Date.now();
    source.report({ state: "live", lastLiveAt });
  };
  source.report({ state: "connecting" });
  while (!signal.aborted) {
    await untilVisible(signal);
    const round = new AbortController();
    const stopRound = whenHiddenLong(() => round.abort());
    let problem = "The server ended the stream.";
    try {
      if (await runRound(source, AbortSignal.any([signal, round.signal]), live)) continue;
    } catch (failure) {
      problem = failure instanceof Error ? failure.message : String(failure);
      if (isFinal(failure) && !signal.aborted) {
        source.fail(failure);
        source.report({ state: "refused", problem });
        // It may be made, or allowed, later; the connection is well.
        await pause(lastRetryMs, signal);
        continue;
      }
    } finally {
      stopRound();
    }
    if (signal.aborted || round.signal.aborted) continue;
    source.report(lastLiveAt ? { state: "lost", lastLiveAt, problem } : { state: "lost", problem });
    await pause(growingPause(attempt + 1, { firstMs: firstRetryMs, longestMs: lastRetryMs }), signal);
    attempt++;
  }
  source.report(undefined);
}

async function runRound<State, Message>(
  source: LiveSource<State, Message>,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<boolean> {
  let state: State = await source.load(signal);
  source.publish(state);
  let waiting: Message[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    state = source.apply(state, waiting);
    waiting = [];
    if (!signal.aborted) source.publish(state);
  };
  const onMessage = (message: Message) => {
    waiting.push(message);
    atNextBeat(flush);
  };
  try {
    return (await source.follow(state, { signal, onOpen, onMessage })) === "load again";
  } finally {
    flush();
  }
}

const dueAtBeat = new Set<() => void>();
let lastBeat = 0;

/** All streams are shown in the same moment: an application and its tree, which tell of one change, are drawn once. */
function atNextBeat(flush: () => void): void {
  if (dueAtBeat.size === 0) {
    const restMs = Math.max(batchMs, lastBeat + busyBatchMs - Date.now());
    setTimeout(() => {
      lastBeat = Date.now();
      const due = [...dueAtBeat];
      dueAtBeat.clear();
      for (const one of due) one();
    }, restMs);
  }
  dueAtBeat.add(flush);
}

function isFinal(failure: unknown): boolean {
  return failure instanceof RequestFailure && [401, 403, 404].includes(failure.status);
}

/** Ends with the signal, too. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}

/** A worker is always looked at. */
const isHidden = () => typeof document !== "undefined" && document.hidden;

export function untilVisible(signal: AbortSignal): Promise<void> {
  if (!isHidden()) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}

const hiddenGraceMs = 20_000;

export function whenHiddenLong(act: () => void): () => void {
  if (typeof document === "undefined") return () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(act, hiddenGraceMs);
  };
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}
