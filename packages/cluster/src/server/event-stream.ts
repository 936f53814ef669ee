export interface StreamLimits {
  lines: number;
  characters: number;
}

/** Lines on their way to one client. One that reads too slowly is cut off; it resumes from what it has seen. */
export class EventStream {
  readonly #limits: StreamLimits;
  readonly #onClose: () => void;
  #lines: string[] = [];
  #characters = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(limits: StreamLimits, onClose: () => void) {
    this.#limits = limits;
    this.#onClose = onClose;
  }

  push(line: string): void {
    if (this.#closed) return;
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#lines.length > this.#limits.lines || this.#characters > this.#limits.characters) {
      this.#lines = [];
      this.close();
    }
    this.#wake?.();
  }

  /** What is pushed already is still delivered. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    this.#wake?.();
  }

  async *read(): AsyncGenerator<string> {
    try {
      for (;;) {
        if (this.#lines.length > 0) {
          const text = this.#lines.join("");
          this.#lines = [];
          this.#characters = 0;
          yield text;
        } else if (this.#closed) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        this.#wake = undefined;
      }
    } finally {
      this.close();
    }
  }
}
