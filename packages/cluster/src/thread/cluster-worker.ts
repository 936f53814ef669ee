import module from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { type EmbeddedCluster, startCluster } from "../start-cluster.ts";
import type { FromThread, Problem, Settled, ThreadOptions, ThreadResponse, ToThread } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { withoutRepeats } from "./repeated-values.ts";

interface UnderWay {
  readonly gone: AbortController;
  pieces?: AsyncIterator<string>;
}

/** Requests whose answer, or its last piece, is still to come. */
const underWay = new Map<number, UnderWay>();
const outbox = new Outbox<FromThread>((messages) => parentPort?.postMessage(withoutRepeats(messages)));

try {
  await open(workerData);
} catch (error) {
  outbox.send({ kind: "failed", id: undefined, problem: problemOf(error) });
}

async function open({ auditAnnotations, ...options }: ThreadOptions): Promise<void> {
  const cluster = await startCluster({
    ...options,
    log: (entry) => outbox.send({ kind: "log", entry }),
    ...(auditAnnotations && {
      audit: { annotations: auditAnnotations, write: (event) => outbox.send({ kind: "audit", event }) },
    }),
  });
  parentPort?.on("message", (messages: readonly ToThread[]) => {
    for (const message of messages) void settle(cluster, message);
  });
  const { adminToken } = cluster;
  outbox.send({ kind: "opened", opened: { adminToken, caCertificate: cluster.caCertificate() } });
  // A thread that is terminated writes none at its end, and the next start would compile everything again.
  module.flushCompileCache();
}

async function settle(cluster: EmbeddedCluster, message: ToThread): Promise<void> {
  const { id } = message;
  if (message.kind === "leave") return leave(id);
  try {
    outbox.send({ kind: "done", id, value: await serve(cluster, message) });
  } catch (error) {
    outbox.send({ kind: "failed", id, problem: problemOf(error) });
  }
}

type Question = Exclude<ToThread, { kind: "leave" }>;

async function serve(cluster: EmbeddedCluster, message: Question): Promise<Settled> {
  if (message.kind === "request") return answer(cluster, message);
  if (message.kind === "more") return nextPiece(message.of);
  if (message.kind === "listen") return cluster.listen(message.address);
  await cluster.close();
  return undefined;
}

async function answer(
  cluster: EmbeddedCluster,
  { id, request }: Question & { kind: "request" },
): Promise<ThreadResponse> {
  const own: UnderWay = { gone: new AbortController() };
  underWay.set(id, own);
  try {
    const { body, ...head } = await cluster.handle({ ...request, signal: own.gone.signal });
    if (typeof body === "string") return { ...head, body };
    own.pieces = body[Symbol.asyncIterator]();
    return { ...head, body: undefined };
  } finally {
    if (own.pieces === undefined) underWay.delete(id);
  }
}

async function nextPiece(id: number): Promise<string | undefined> {
  let isOver = true;
  try {
    const next = await underWay.get(id)?.pieces?.next();
    isOver = next?.done ?? true;
    return next?.done ? undefined : next?.value;
  } finally {
    if (isOver) underWay.delete(id);
  }
}

function leave(id: number): void {
  const left = underWay.get(id);
  underWay.delete(id);
  left?.gone.abort(new Error("nobody waits for the answer"));
  // What waits for a piece ends by the signal; what does not is closed here.
  left?.pieces?.return?.().catch(() => undefined);
}

function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, code: undefined };
  const code = "code" in error ? String(error.code) : undefined;
  return { message: error.message, stack: error.stack, code };
}
