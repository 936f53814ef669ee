const restMs = 5_000;

/**
 * Texts that were read are kept for a moment: whoever begins to follow a cluster lists all of it, and several begin
 * together; whoever applies an object reads it and applies it again. Nothing is held once nobody reads.
 */
export class RecentTexts implements Disposable {
  readonly #mostCharacters: number;
  /** The later half, and the one before it, which goes when the later is full. */
  #later = new Map<number, string>();
  #former = new Map<number, string>();
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: { mostCharacters: number }) {
    this.#mostCharacters = limits.mostCharacters;
  }

  get(row: number): string | undefined {
    return this.#later.get(row) ?? this.#former.get(row);
  }

  /** One that is not kept yet. */
  keep(row: number, text: string): void {
    if (this.#characters > 0 && this.#characters + text.length > this.#mostCharacters / 2) {
      this.#former = this.#later;
      this.#later = new Map();
      this.#characters = 0;
    }
    this.#later.set(row, text);
    this.#characters += text.length;
    this.#timer ??= setTimeout(() => this.#clear(), restMs).unref();
    this.#timer.refresh();
  }

  /** Another text is in its place, or none. */
  forget(row: number): void {
    this.#former.delete(row);
    const text = this.#later.get(row);
    if (text === undefined) return;
    this.#later.delete(row);
    this.#characters -= text.length;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#clear();
  }

  #clear(): void {
    this.#later.clear();
    this.#former.clear();
    this.#characters = 0;
  }
}
