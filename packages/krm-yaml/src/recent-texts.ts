import { BoundedMap } from "@capstan/flow";
/** What came of texts, for as many as fit together; those used longest ago go first. */
export class RecentTexts<Value> {
  readonly #longest: number;
  readonly #values: BoundedMap<Value>;

  /** In characters of the texts. */
  constructor(limit: number) {
    this.#longest = limit / 10;
    this.#values = new BoundedMap(limit);
  }

  get(text: string): Value | undefined {
    return this.#values.get(text);
  }

  /** One that would take more than a tenth of the room is not kept. */
  set(text: string, value: Value): void {
    if (text.length <= this.#longest) this.#values.set(text, value, text.length);
  }
}
