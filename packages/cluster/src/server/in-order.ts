import { untilKnown } from "../webhooks/pending.ts";

export interface InOrderOptions {
  signal: AbortSignal;
  /** More than this and it fails: the client reads too slowly, or a webhook answers too slowly. */
  mostWaiting: number;
  /** Called once; nothing is done afterwards. */
  failed: (error: unknown) => void;
}

/** Does one thing after the other, each again where it had to wait for a webhook's answer. */
export class InOrder {
  readonly #options: InOrderOptions;
  #waiting: (() => void)[] = [];
  #isBusy = false;
  #isOver = false;

  constructor(options: InOrderOptions) {
    this.#options = options;
  }

  add(work: () => void): void {
    if (this.#isOver) return;
    this.#waiting.push(work);
    if (this.#waiting.length > this.#options.mostWaiting) this.#end(new Error("too much waits"));
    else if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#options;
    this.#isBusy = true;
    try {
      for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift())
        await untilKnown(work, { signal });
    } catch (error) {
      this.#end(error);
    }
    this.#isBusy = false;
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#options.failed(error);
  }
}
