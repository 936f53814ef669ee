import { type Clock, type EndedStep, traceWith } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import type { OtlpPlace } from "./otlp-flags.ts";
import { encodeRequest, encodeSpan } from "./otlp-message.ts";
import { otlpSender } from "./otlp-sender.ts";
import { createTracer } from "./tracer.ts";

interface Input extends OtlpPlace {
  /** The program's, as service.name. */
  readonly service: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What waits to be sent; what comes while so much waits is left out, and counted in the log. */
const mostWaiting = { spans: 8_192, bytes: 8 * 2 ** 20 };
/** Collectors take messages of 4 MiB. */
const mostAtOnce = { spans: 512, bytes: 2 * 2 ** 20 };
const pauseMs = 2_000;
const sendLimitMs = 10_000;
/** Of the last, for which the program's end waits. */
const lastLimitMs = 1_000;

/** From now on the steps of this process are sent to a collector, in the background: nobody waits for it. */
export function openOtlpTraces(input: Input): AsyncDisposable {
  const queue = new SpanQueue(input);
  traceWith(createTracer({ ratio: input.ratio, take: (step) => queue.add(step) }));
  return {
    async [Symbol.asyncDispose]() {
      traceWith(undefined);
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** Spans that wait to be sent. What the collector does not take is lost: traces of an hour ago help nobody now. */
class SpanQueue implements AsyncDisposable {
  readonly #input: Input;
  readonly #send: ReturnType<typeof otlpSender>;
  readonly #stop = new AbortController();
  readonly #sending: Promise<void>;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #isAway = false;

  constructor(input: Input) {
    this.#input = input;
    this.#send = otlpSender(input);
    this.#sending = this.#sendOn();
  }

  add(step: EndedStep): void {
    const span = encodeSpan(step);
    const isFull = this.#waiting.length >= mostWaiting.spans || this.#bytes + span.length > mostWaiting.bytes;
    if (isFull) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(span);
    this.#bytes += span.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #sendOn(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#input.clock.sleep(pauseMs, signal).catch(() => undefined); // it ends
      while (!signal.aborted && this.#waiting.length > 0)
        await this.#sendSome(AbortSignal.any([signal, AbortSignal.timeout(sendLimitMs)]));
    }
    const last = AbortSignal.timeout(lastLimitMs);
    while (!last.aborted && !this.#isAway && this.#waiting.length > 0) await this.#sendSome(last);
  }

  async #sendSome(signal: AbortSignal): Promise<void> {
    const { log, url, attributes, service, version } = this.#input;
    const spans = this.#take();
    const of = { ...attributes, "service.name": service, "service.version": version };
    try {
      await this.#send(encodeRequest({ attributes: of, version }, spans), signal);
      if (this.#lost > 0) log.warn({ spans: this.#lost }, "traces are missing at the collector");
      this.#lost = 0;
      this.#isAway = false;
    } catch (error) {
      this.#lost += spans.length;
      if (!this.#isAway)
        log.warn({ error, collector: `${url.protocol}//${url.host}` }, "the collector does not take traces");
      this.#isAway = true;
    }
  }

  #take(): Buffer[] {
    let [count, bytes] = [0, 0];
    for (const span of this.#waiting) {
      if (count === mostAtOnce.spans || (count > 0 && bytes + span.length > mostAtOnce.bytes)) break;
      count += 1;
      bytes += span.length;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#bytes -= bytes;
    return taken;
  }
}
