import { open } from "node:fs/promises";
import { type Clock, Listeners } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import type { Log } from "./plugin.ts";

/** Something that may be replaced while it is in use. */
export interface Followed<Value> {
  current(): Value;
  /** Tells of each replacement; the result ends that. */
  onChange(tell: () => void): () => void;
}

export interface FollowMeans {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const everyMs = 1_000;
const maxBytes = 2 ** 20;

/**
 * What files say, read anew when they have changed, until aborted: cert-manager replaces certificates in place, and the
 * kubelet tokens. `read` throws where they make no sense, as halves do, or a certificate whose key is yet to come: that
 * is said, and what they said before stays. At the start it is an error.
 */
export async function followFiles<Value>(
  files: readonly string[],
  read: (texts: readonly string[]) => Value,
  { clock, log, signal }: FollowMeans,
): Promise<Followed<Value>> {
  let texts = await Promise.all(files.map(readText));
  let value = read(texts);
  let said = "";
  const listeners = new Listeners<[]>((error) =>
    log.error({ files, error }, "what follows from changed files failed"),
  );
  const look = async () => {
    try {
      const now = await Promise.all(files.map(readText));
      if (now.some((text, at) => text !== texts[at])) {
        value = read(now);
        texts = now;
        log.info({ files }, "files have changed and were read again");
        listeners.tell();
      }
      said = "";
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== said)
        log.error({ files, error }, "files that have changed cannot be used; the earlier ones stay");
      said = problem;
    }
  };
  const follow = async () => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal);
      await look();
    }
  };
  follow().catch((error: unknown) => {
    if (!signal.aborted) log.error({ files, error }, "files are followed no more");
  });
  return {
    current: () => value,
    onChange: (tell) => listeners.add(tell),
  };
}

export function unchanging<Value>(value: Value): Followed<Value> {
  return { current: () => value, onChange: () => () => undefined };
}

async function readText(path: string): Promise<string> {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1));
  if (bytesRead > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
  return buffer.toString("utf8", 0, bytesRead);
}
