import type { Duplex } from "node:stream";
import { ByteQueue } from "./byte-queue.ts";
import {
  exitStatus,
  type ForwardSession,
  failureStatus,
  type PodSession,
  type RunSession,
} from "./session.ts";
import { type SpdyStream, serveSpdy } from "./spdy.ts";

/** What X-Stream-Protocol-Version may name, in order of preference: with a Status at the end. */
export const commandProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;
export const forwardProtocol = "portforward.k8s.io";

export function runOverSpdy(connection: Duplex, session: PodSession, signal: AbortSignal): Promise<void> {
  return session.kind === "run"
    ? runCommand(connection, session, signal)
    : forwardPorts(connection, session, signal);
}

/** A stream each for error, stdin, stdout, stderr and resize, told apart by their header (cri-streaming remotecommand). */
async function runCommand(connection: Duplex, session: RunSession, signal: AbortSignal): Promise<void> {
  const { stdin, stdout, stderr, tty } = session.wants;
  const wanted = ["error", stdin && "stdin", stdout && "stdout", stderr && !tty && "stderr"];
  const streams = new Map<string, SpdyStream>();
  const left = new AbortController();
  const begin = async (): Promise<void> => {
    const write = (to: string, text: string | Uint8Array): void => streams.get(to)?.write(Buffer.from(text));
    const terminal = {
      input: streams.get("stdin")?.input ?? nothing(),
      out: (text: string | Uint8Array) => write("stdout", text),
      err: (text: string) => write(streams.has("stderr") ? "stderr" : "stdout", text),
      signal: AbortSignal.any([left.signal, signal]),
    };
    const status = await session.run(terminal).then(exitStatus, failureStatus);
    write("error", status);
    for (const stream of streams.values()) stream.end();
    connection.end();
  };
  const opened = (stream: SpdyStream): void => {
    const name = stream.headers.get("streamtype") ?? "";
    streams.set(name, stream);
    // The last that is wanted starts the command: clients open resize after it, or not at all.
    if (name !== "resize" && wanted.every((one) => one === false || streams.has(one))) void begin();
  };
  try {
    await serveSpdy(connection, opened, signal);
  } finally {
    left.abort(new Error("the client has left"));
  }
}

function nothing(): ByteQueue {
  const queue = new ByteQueue();
  queue.end();
  return queue;
}

/** A pair of streams for each connection, error first (kubelet portforward/httpstream.go). */
async function forwardPorts(connection: Duplex, session: ForwardSession, signal: AbortSignal): Promise<void> {
  const errors = new Map<string, SpdyStream>();
  const left = new AbortController();
  const opened = (stream: SpdyStream): void => {
    const { headers } = stream;
    const id = headers.get("requestid") ?? headers.get("port") ?? "";
    if (headers.get("streamtype") === "error") {
      errors.set(id, stream);
      return;
    }
    const error = errors.get(id);
    errors.delete(id);
    void session
      .serve({
        port: Number(headers.get("port")),
        input: stream.input,
        write: (bytes) => stream.write(bytes),
        signal: AbortSignal.any([left.signal, signal]),
      })
      .catch((problem: unknown) =>
        error?.write(Buffer.from(problem instanceof Error ? problem.message : String(problem))),
      )
      .finally(() => {
        stream.end();
        error?.end();
      });
  };
  try {
    await serveSpdy(connection, opened, signal);
  } finally {
    left.abort(new Error("the client has left"));
  }
}
