import { Worker } from "node:worker_threads";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import { writeKubeconfig } from "../security/kubeconfig.ts";
import type { ClusterOptions, EmbeddedCluster } from "../start-cluster.ts";
import type { ApiRequest, ApiResponse } from "../types.ts";
import type {
  Address,
  FromThread,
  Listening,
  Opened,
  Problem,
  ThreadOptions,
  ThreadResponse,
  ToThread,
} from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { type Crossing, withRepeats } from "./repeated-values.ts";

/** Nearly all that is made in it is gone with its request: room for more is only filled (by default 96), not used. */
const youngMegabytes = 24;

export interface ThreadedOptions
  extends Pick<ClusterOptions, "dataDir" | "podReadyDelayMs" | "log" | "audit"> {
  /** A module of whoever starts the thread, for what he wants of each of his threads. */
  loadsFirst?: URL;
}

/**
 * The cluster of startCluster in a thread of its own: an object that takes it long to merge, to validate or to compare
 * holds nobody else up. The clock is the system's. An uncaught error in the thread ends the process, as in this one.
 */
export async function startClusterThread(options: ThreadedOptions): Promise<EmbeddedCluster> {
  const { dataDir, podReadyDelayMs, audit, loadsFirst } = options;
  const workerData: ThreadOptions = {
    dataDir,
    ...(podReadyDelayMs !== undefined && { podReadyDelayMs }),
    ...(audit && { auditAnnotations: audit.annotations ?? {} }),
  };
  const worker = new Worker(new URL("./cluster-worker.ts", import.meta.url), {
    env: sharedCompileCache(),
    workerData,
    ...(loadsFirst && { execArgv: ["--import", loadsFirst.href] }),
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
  return new ClusterThread(worker, options).opened();
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

class ClusterThread implements EmbeddedCluster {
  readonly #worker: Worker;
  readonly #options: ThreadedOptions;
  readonly #outbox: Outbox<ToThread>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opening = Promise.withResolvers<Opened>();
  #opened: Opened = { adminToken: "", caCertificate: "" };
  #lastId = 0;
  #closing: Promise<void> | undefined;

  constructor(worker: Worker, options: ThreadedOptions) {
    this.#worker = worker;
    this.#options = options;
    this.#outbox = new Outbox((messages) => worker.postMessage(messages));
    worker.on("message", (messages: Crossing) => {
      for (const message of withRepeats(messages)) this.#receive(message);
    });
  }

  /** Itself, once the thread has opened the data folder; fails with what kept it from that. */
  async opened(): Promise<EmbeddedCluster> {
    try {
      this.#opened = await this.#opening.promise;
      return this;
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  get adminToken(): string {
    return this.#opened.adminToken;
  }

  caCertificate(): string {
    return this.#opened.caCertificate;
  }

  kubeconfig(server: string): string {
    return writeKubeconfig({ server, caCertificate: this.caCertificate(), token: this.adminToken });
  }

  async handle({ signal, ...request }: ApiRequest): Promise<ApiResponse> {
    const id = this.#nextId();
    const leave = () => this.#outbox.send({ kind: "leave", id });
    const stay = () => signal.removeEventListener("abort", leave);
    signal.throwIfAborted();
    signal.addEventListener("abort", leave, { once: true });
    try {
      const { body, ...head } = await this.#ask<ThreadResponse>({ kind: "request", id, request });
      if (body === undefined) return { ...head, body: this.#pieces(id, { leave, stay }) };
      stay();
      return { ...head, body };
    } catch (error) {
      stay();
      throw error;
    }
  }

  async *#pieces(of: number, { leave, stay }: { leave(): void; stay(): void }): AsyncGenerator<string> {
    let isOver = false;
    try {
      while (!isOver) {
        const text = await this.#ask<string | undefined>({ kind: "more", id: this.#nextId(), of });
        if (text === undefined) isOver = true;
        else yield text;
      }
    } finally {
      stay();
      if (!isOver) leave();
    }
  }

  listen(address: Address): Promise<Listening> {
    return this.#ask({ kind: "listen", id: this.#nextId(), address });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      await this.#ask<void>({ kind: "close", id: this.#nextId() });
    } finally {
      await this.#worker.terminate();
      for (const waiting of this.#waiting.values()) waiting.reject(stopped());
    }
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #ask<Value>(message: ToThread): Promise<Value> {
    if (this.#closing) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.#outbox.send(message);
    });
  }

  #receive(message: FromThread): void {
    if (message.kind === "log") this.#options.log?.(message.entry);
    else if (message.kind === "audit") this.#options.audit?.write(message.event);
    else if (message.kind === "opened") this.#opening.resolve(message.opened);
    else if (message.kind === "done") this.#taken(message.id)?.resolve(message.value as never);
    else (this.#taken(message.id) ?? this.#opening).reject(errorOf(message.problem));
  }

  #taken(id: number | undefined): Waiting | undefined {
    if (id === undefined) return undefined;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function stopped(): Error {
  return new Error("the cluster is stopping");
}

function errorOf({ message, stack, code }: Problem): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}
