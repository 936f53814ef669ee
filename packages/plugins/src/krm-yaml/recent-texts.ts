/** What came of texts, for as many as fit together; those used longest ago go first. */
export class RecentTexts<Value> {
  readonly #limit: number;
  readonly #values = new Map<string, Value>();
  #length = 0;

  /** In characters of the texts. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(text: string): Value | undefined {
    const value = this.#values.get(text);
    if (value === undefined) return undefined;
    this.#values.delete(text);
    this.#values.set(text, value);
    return value;
  }

  /** One that would take more than a tenth of the room is not kept. */
  set(text: string, value: Value): void {
    if (text.length > this.#limit / 10 || this.#values.has(text)) return;
    this.#values.set(text, value);
    this.#length += text.length;
    for (const oldest of this.#values.keys()) {
      if (this.#length <= this.#limit) return;
      this.#values.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
