import { untilAborted } from "@capstan/flow";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import type { ContainerRun } from "./container-run.ts";
import { type LogNeeds, linesOf, nextLineMs, type PodLogInput, printLine, printLines } from "./log-lines.ts";

export interface Followed {
  input: PodLogInput;
  pod: Pod;
  runOf(): ContainerRun;
}

/** Goes on until the container ends, the Pod goes or the reader leaves. */
export async function* followLog(needs: LogNeeds, { input, pod, runOf }: Followed): AsyncIterable<string> {
  const { clock } = needs;
  const signal = AbortSignal.any([input.signal, needs.signal]);
  const changes = podChanges(needs, pod);
  try {
    let seenMs = clock.now();
    const run = runOf();
    const startedMs = run.startedMs;
    let left = input.limitBytes ?? Number.POSITIVE_INFINITY;
    let text = printLines(linesOf(run, run.ended, seenMs), input, seenMs);
    while (left > 0) {
      if (text !== "") yield text;
      left -= Buffer.byteLength(text);
      if (run.ended || run.startedMs !== startedMs || changes.isGone() || signal.aborted) return;
      await changes.orAt(nextLineMs(run, seenMs), signal);
      if (signal.aborted) return;
      const nowMs = clock.now();
      const fresh = linesOf(run, run.ended, nowMs).filter(({ atMs }) => atMs > seenMs);
      text = fresh.map((line) => printLine(line, input.timestamps)).join("");
      seenMs = nowMs;
    }
  } finally {
    changes.end();
  }
}

interface PodChanges {
  isGone(): boolean;
  /** Resolves at a time, at the Pod's next change or when aborted, whichever is first. */
  orAt(atMs: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

function podChanges({ objects, clock }: LogNeeds, pod: Pod): PodChanges {
  const { namespace = "", name = "", uid } = pod.metadata;
  let changed = Promise.withResolvers<void>();
  const end = objects.subscribe(resourceTypes.pods, ({ object }) => {
    if (object.metadata.name === name && object.metadata.namespace === namespace) changed.resolve();
  });
  return {
    end,
    isGone: () => objects.get(resourceTypes.pods, namespace, name)?.metadata.uid !== uid,
    async orAt(atMs, signal) {
      const woken = new AbortController();
      const waits: Promise<unknown>[] = [
        changed.promise,
        untilAborted(AbortSignal.any([signal, woken.signal])),
      ];
      if (Number.isFinite(atMs)) {
        const sleep = clock.sleep(Math.max(atMs - clock.now(), 1), AbortSignal.any([signal, woken.signal]));
        waits.push(
          sleep.catch((error: unknown) => rethrowUnless(signal.aborted || woken.signal.aborted, error)),
        );
      }
      await Promise.race(waits);
      woken.abort();
      changed = Promise.withResolvers();
    },
  };
}

function rethrowUnless(expected: boolean, error: unknown): void {
  if (!expected) throw error;
}
