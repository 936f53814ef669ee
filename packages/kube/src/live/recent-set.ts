/** Remembers the latest texts, up to a number. */
export class RecentSet {
  readonly #texts = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#texts.delete(text);
    this.#texts.add(text);
    for (const oldest of this.#texts) {
      if (this.#texts.size <= this.#limit) break;
      this.#texts.delete(oldest);
    }
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }
}
