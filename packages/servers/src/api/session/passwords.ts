import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import type { PasswordTask } from "./password-worker.ts";

export interface Passwords extends Disposable {
  /** Whether the password is the one of this bcrypt hash. `by`: one caller has only a few of the places. */
  matches(password: string, hash: string, by: string): Promise<boolean>;
  /** Refuses what bcrypt would cut: another password that begins alike would be right too. */
  hash(password: string, by: string): Promise<string>;
}

/** What is beyond them bcrypt does not look at. */
const mostBytes = 72;
const maxWaiting = 50;
const maxWaitingOfOne = 20;
/** A hash of the operator's with a huge cost would keep the thread for ever. */
const limitMs = 10_000;
const rounds = 10;
/** An idle thread holds some 20 MB; a new one is there in some 50 ms. */
const idleMs = 5_000;

/** bcrypt in a thread of its own, one after the other: it takes tenths of a second, which others need not wait for. */
export function createPasswords(clock: Clock): Passwords {
  let worker: Worker | undefined;
  let idle = new AbortController();
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const waitingOf = new Map<string, number>();

  async function run(task: PasswordTask): Promise<unknown> {
    worker ??= startWorker();
    const used = worker;
    used.postMessage(task);
    try {
      const [answer] = await once(used, "message", { signal: AbortSignal.timeout(limitMs) });
      return answer;
    } catch (error) {
      await endWorker();
      throw new CapstanError({ code: "TIMED_OUT", what: "comparing a password", afterMs: limitMs }, error);
    }
  }

  async function queue(task: PasswordTask, by: string): Promise<unknown> {
    const own = waitingOf.get(by) ?? 0;
    if (waiting >= maxWaiting || own >= maxWaitingOfOne)
      throw new CapstanError({
        code: "QUEUE_FULL",
        queue: "login",
        limit: own >= maxWaitingOfOne ? maxWaitingOfOne : maxWaiting,
      });
    waiting += 1;
    waitingOf.set(by, own + 1);
    idle.abort();
    const turn = last.then(() => run(task));
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      waiting -= 1;
      const left = (waitingOf.get(by) ?? 1) - 1;
      if (left === 0) waitingOf.delete(by);
      else waitingOf.set(by, left);
      if (waiting === 0 && !isOver) endWhenIdle();
    }
  }

  function endWhenIdle(): void {
    idle = new AbortController();
    void clock.sleep(idleMs, idle.signal).then(
      () => endWorker(),
      () => undefined, // somebody asked, or all ends
    );
  }

  async function endWorker(): Promise<void> {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  return {
    matches: async (password, hash, by) => (await queue({ kind: "compare", password, hash }, by)) === true,
    async hash(password, by) {
      const problem = `is longer than the ${mostBytes} bytes that bcrypt takes`;
      if (Buffer.byteLength(password) > mostBytes)
        throw new CapstanError({ code: "INVALID_ARGUMENT", field: "newPassword", problem });
      return String(await queue({ kind: "hash", password, rounds }, by));
    },
    [Symbol.dispose]() {
      isOver = true;
      idle.abort();
      void endWorker();
    },
  };
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./password-worker.ts", import.meta.url), { env: sharedCompileCache() });
  worker.unref();
  return worker;
}
