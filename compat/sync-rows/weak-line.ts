import type { KubeRequest, KubeResponse, Transport } from "@capstan/kube";
import { refusal } from "@capstan/testkit";

type Asked = "list" | "page" | "watch";

/** The way to an API server, on which what is asked of one collection comes through as a test wants it. */
export class WeakLine {
  readonly #path: string;
  readonly #counts: Record<Asked, number> = { list: 0, page: 0, watch: 0 };
  /** In place of the server's, in order. */
  readonly #answers: Record<Asked, (() => KubeResponse)[]> = { list: [], page: [], watch: [] };
  #broken = new AbortController();
  #isCut = false;
  #until: string | undefined;

  /** As `/api/v1/configmaps`. */
  constructor(path: string) {
    this.#path = path;
  }

  /** How often that was asked for so far, whatever the answer; a page is one after the first. */
  count(asked: Asked): number {
    return this.#counts[asked];
  }

  /** Watches break off, and none comes through until `mend`. */
  cut(): void {
    this.#isCut = true;
    this.#broken.abort(new Error("the line is cut"));
    this.#broken = new AbortController();
  }

  mend(): void {
    this.#isCut = false;
  }

  /** The next ones get these answers, each once. */
  answer(asked: Asked, ...answers: (() => KubeResponse)[]): void {
    this.#answers[asked].push(...answers);
  }

  /** How many of those answers nobody got so far. */
  get unused(): number {
    return Object.values(this.#answers).reduce((sum, { length }) => sum + length, 0);
  }

  /** What watches bring waits until that text is among it, and comes in one go. */
  holdUntil(text: string): void {
    this.#until = text;
  }

  readonly intercept = (
    request: KubeRequest,
    send: Transport,
  ): Promise<KubeResponse | undefined> | undefined => {
    const [path, query = ""] = request.url.split("?");
    if (request.method !== "GET" || path !== this.#path) return undefined;
    const asked = askedBy(new URLSearchParams(query));
    this.#counts[asked] += 1;
    if (asked === "watch" && this.#isCut) return Promise.reject(new Error("the line is cut"));
    const answer = this.#answers[asked].shift();
    if (answer) return Promise.resolve().then(answer);
    return asked === "watch" ? this.#watch(request, send) : undefined;
  };

  async #watch(request: KubeRequest, send: Transport): Promise<KubeResponse> {
    const signal = AbortSignal.any([request.signal, this.#broken.signal]);
    const answer = await send({ ...request, signal });
    return typeof answer.body === "string" ? answer : { ...answer, body: this.#through(answer.body, signal) };
  }

  async *#through(pieces: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<string> {
    let text = "";
    for await (const piece of pieces) {
      signal.throwIfAborted();
      text += piece;
      if (this.#until !== undefined && !text.includes(this.#until)) continue;
      this.#until = undefined;
      yield text;
      text = "";
    }
  }
}

function askedBy(query: URLSearchParams): Asked {
  if (query.has("watch")) return "watch";
  return query.has("continue") ? "page" : "list";
}

/** What a watch is told that begins at a version of which nothing is known any more. */
export const forgotten = (): KubeResponse => {
  const object = JSON.parse(String(refusal(410, "Expired", "too old resource version")().body));
  return { status: 200, headers: {}, body: `${JSON.stringify({ type: "ERROR", object })}\n` };
};
