import { Readable } from "node:stream";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "../client/kube-client.ts";
import { listAt, recordAt, textAt } from "../read-json.ts";
import type { WebSocket } from "../transport/open-socket.ts";

/** What runs in a container, with a terminal. */
export interface PodCommand {
  readonly container: string;
  readonly command: readonly string[];
}

/** How a process ended; without an exit code it never began, or the connection to it was lost. */
export interface ProcessEnd {
  readonly exitCode: number | undefined;
  readonly message: string;
}

/** A process in a Pod, while it runs. */
export interface PodProcess extends AsyncDisposable {
  /** What it writes to its terminal; is not read ahead of who takes it. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves once the bytes are on their way. */
  write(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): void;
  /** Never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** First bytes of messages (apimachinery pkg/util/remotecommand/websocket.go). */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
/** In order of preference (KEP-4006); v5 adds the closing of single channels. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
/** Bytes that wait for who takes the output. */
const keptBytes = 256 * 1024;

/** Starts a process by the Pod's subresource exec; `signal` ends it. Rejects where the cluster refuses. */
export async function startInPod(
  client: KubeClient,
  pod: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  { container, command, signal }: PodCommand & { signal: AbortSignal },
): Promise<PodProcess> {
  const query = new URLSearchParams({ container, stdin: "true", stdout: "true", tty: "true" });
  for (const word of command) query.append("command", word);
  const place = `/api/v1/namespaces/${encodeURIComponent(pod.namespace ?? "")}/pods/${encodeURIComponent(pod.name ?? "")}`;
  const socket = await client.socket({ url: `${place}/exec?${query}`, protocols, signal });
  return new ChannelProcess(socket);
}

class ChannelProcess implements PodProcess {
  readonly #socket: WebSocket;
  readonly #output: Readable;
  readonly ended: Promise<ProcessEnd>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#output = new Readable({ highWaterMark: keptBytes, read: () => socket.resume() });
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    socket.binaryType = "nodebuffer";
    socket.on("message", (data) => {
      if (!Buffer.isBuffer(data)) return;
      const from = data[0];
      const bytes = data.subarray(1);
      if (from === channel.error) resolve(readEnd(bytes));
      else if ((from === channel.stdout || from === channel.stderr) && bytes.length > 0)
        if (!this.#output.push(bytes)) socket.pause();
    });
    socket.once("close", () => {
      this.#output.push(null);
      resolve({ exitCode: undefined, message: "the connection to the process was lost" });
    });
    socket.on("error", () => socket.terminate());
    // It may have been closed before anybody looked.
    if (socket.readyState > socket.OPEN) this.#output.push(null);
    void promise.then(() => socket.close());
    socket.resume();
  }

  get output(): AsyncIterable<Uint8Array> {
    return this.#output;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#send(channel.stdin, bytes);
  }

  resize({ columns, rows }: TerminalSize): void {
    // client-go tools/remotecommand TerminalSize.
    const text = JSON.stringify({ Width: columns, Height: rows });
    this.#send(channel.resize, Buffer.from(text)).catch(() => undefined); // its end is told by `ended`
  }

  async #send(to: number, bytes: Uint8Array): Promise<void> {
    const message = Buffer.concat([Buffer.from([to]), bytes]);
    await new Promise<void>((resolve, reject) =>
      this.#socket.send(message, (error) => (error ? reject(error) : resolve())),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#output.destroy();
    this.#socket.terminate();
    await this.ended;
  }
}

/** A metav1.Status (kubelet's remotecommand, v4 and later). */
function readEnd(bytes: Buffer): ProcessEnd {
  let status: unknown;
  try {
    status = JSON.parse(bytes.toString("utf8"));
  } catch {
    return { exitCode: undefined, message: "the process ended in words that cannot be read" };
  }
  if (!isRecord(status)) return { exitCode: undefined, message: "the process ended without a word" };
  if (status.status === "Success") return { exitCode: 0, message: "" };
  const causes = listAt(recordAt(status, "details"), "causes").filter(isRecord);
  const code = causes.find((cause) => cause.reason === "ExitCode");
  const exitCode = Number(code && textAt(code, "message"));
  return {
    exitCode: code && Number.isInteger(exitCode) ? exitCode : undefined,
    message: textAt(status, "message") ?? "",
  };
}
