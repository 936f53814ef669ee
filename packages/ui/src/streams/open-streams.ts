import { serverUrl } from "../server-url.ts";
import type { FailureFacts } from "./request-failure.ts";
import type { Heard, Opened, StreamAsk, StreamOpener, ToWindow, ToWorker } from "./stream-port.ts";

const liveMs = 60_000;

let opener: StreamOpener | undefined;

/** Opens a stream through the worker that all windows share; by itself where there is none. */
export function openStream(ask: Pick<StreamAsk, "url" | "secret">, heard: Heard): Opened {
  opener ??= connect();
  return opener.open({ ...ask, base: serverUrl("") }, heard);
}

/** What was streamed to whoever was signed in is not shown to the next. */
export function forgetStreams(): void {
  opener?.forget();
}

function connect(): StreamOpener {
  // Some browsers of phones have none, and a policy may forbid it.
  if (typeof SharedWorker === "undefined") return new OwnStreams();
  try {
    const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), {
      type: "module",
      name: "capstan",
    });
    return new WorkerStreams(worker);
  } catch {
    return new OwnStreams();
  }
}

interface Stream {
  readonly ask: StreamAsk;
  readonly heard: Heard;
  /** Where it is not the worker's. */
  own?: Opened;
}

class WorkerStreams implements StreamOpener {
  readonly #port: MessagePort;
  readonly #streams = new Map<number, Stream>();
  #next = 1;
  #own: OwnStreams | undefined;

  constructor(worker: SharedWorker) {
    this.#port = worker.port;
    this.#port.onmessage = ({ data }: MessageEvent<ToWindow>) => this.#hear(data);
    worker.onerror = () => this.#goAlone();
    setInterval(() => this.#post({ does: "live" }), liveMs);
    window.addEventListener("pagehide", ({ persisted }) => {
      this.#post({ does: "leave" });
      // Whoever comes back to a page that the browser has kept asks again.
      if (persisted) this.#endAll({ status: 0, request: "", message: "The page was left." });
    });
  }

  open(ask: StreamAsk, heard: Heard): Opened {
    if (this.#own) return this.#own.open(ask, heard);
    const id = this.#next++;
    const stream: Stream = { ask, heard };
    this.#streams.set(id, stream);
    this.#post({ open: id, ask });
    return {
      close: () => {
        stream.own?.close();
        if (this.#streams.delete(id)) this.#post({ close: id });
      },
    };
  }

  forget(): void {
    this.#own?.forget();
    this.#post({ does: "forget" });
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  #hear(message: ToWindow): void {
    const heard = this.#streams.get(message.id)?.heard;
    if (heard === undefined) return;
    if ("opened" in message) heard.open();
    else if ("message" in message) heard.message(message.message);
    else {
      this.#streams.delete(message.id);
      heard.end(message.ended);
    }
  }

  #endAll(failure: FailureFacts): void {
    const all = [...this.#streams.values()];
    this.#streams.clear();
    for (const { heard } of all) heard.end(failure);
  }

  /** The worker does not start: its file may be of a version that is not served any more. */
  #goAlone(): void {
    if (this.#own) return;
    this.#own = new OwnStreams();
    for (const stream of this.#streams.values()) stream.own = this.#own.open(stream.ask, stream.heard);
    this.#streams.clear();
  }
}

/** Of this window alone; loaded where it is needed. */
class OwnStreams implements StreamOpener {
  #hub: Promise<StreamOpener> | undefined;

  open(ask: StreamAsk, heard: Heard): Opened {
    let opened: Opened | undefined;
    let isClosed = false;
    this.#load().then(
      (hub) => {
        if (!isClosed) opened = hub.open(ask, heard);
      },
      (failure: unknown) => {
        this.#hub = undefined;
        if (!isClosed) heard.end({ status: 0, request: "", message: String(failure) });
      },
    );
    return {
      close: () => {
        isClosed = true;
        opened?.close();
      },
    };
  }

  forget(): void {
    void this.#hub?.then((hub) => hub.forget());
  }

  #load(): Promise<StreamOpener> {
    this.#hub ??= import("./hub.ts").then(({ Hub }) => new Hub());
    return this.#hub;
  }
}
