import type { WebSocket } from "ws";
import { ByteQueue } from "./byte-queue.ts";
import { exitStatus, failureStatus, type RunSession } from "./session.ts";

/** The first byte of a message (apimachinery pkg/util/remotecommand/websocket.go). */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** In order of preference; v5 adds the close of single channels. */
export const channelProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

/** Runs a session over the channels of a websocket, with the exit code as a Status on the error channel. */
export async function runOverChannels(
  socket: WebSocket,
  session: RunSession,
  signal: AbortSignal,
): Promise<void> {
  const input = new ByteQueue();
  const left = new AbortController();
  const send = (to: number, text: string | Uint8Array): void => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.from([to]), Buffer.from(text)]));
  };
  socket.on("message", (data: Buffer) => {
    const to = data[0];
    if (to === channel.close && data[1] === channel.stdin) input.end();
    else if (to === channel.stdin && !input.push(data.subarray(1))) socket.terminate();
  });
  const leave = (): void => {
    input.end();
    left.abort(new Error("the client has left"));
  };
  socket.once("close", leave);
  socket.on("error", leave);
  const { wants } = session;
  if (!wants.stdin) input.end();
  // An empty message tells the client that the connection is there (kubelet's createWebSocketStreams).
  if (wants.stdout) send(channel.stdout, "");
  const terminal = {
    input,
    out: (text: string | Uint8Array) => (wants.stdout ? send(channel.stdout, text) : undefined),
    err: (text: string) => send(wants.stderr ? channel.stderr : channel.stdout, text),
    signal: AbortSignal.any([left.signal, signal]),
  };
  try {
    send(channel.error, exitStatus(await session.run(terminal)));
  } catch (error) {
    if (!terminal.signal.aborted) send(channel.error, failureStatus(error));
  }
  socket.close(1000);
}
