/** A cluster of 10,000 objects has some 20 million characters. */
const mostCharacters = 32_000_000;
const restMs = 5_000;

/**
 * Texts that were listed are kept for a moment: whoever begins to follow a cluster lists all of it, and several begin
 * together. Nothing of them is held once nobody lists.
 */
export class ListedTexts implements Disposable {
  readonly #byRow = new Map<number, string>();
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  get(row: number): string | undefined {
    return this.#byRow.get(row);
  }

  /** Those of rows that are not kept yet; what would be too much is not kept. */
  keep(texts: ReadonlyMap<number, string>): void {
    for (const [row, text] of texts) {
      if (this.#characters + text.length > mostCharacters) break;
      this.#byRow.set(row, text);
      this.#characters += text.length;
    }
    this.#timer ??= setTimeout(() => this.#clear(), restMs).unref();
    this.#timer.refresh();
  }

  /** Another text is in its place, or none. */
  forget(row: number): void {
    const text = this.#byRow.get(row);
    if (text === undefined) return;
    this.#byRow.delete(row);
    this.#characters -= text.length;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#clear();
  }

  #clear(): void {
    this.#byRow.clear();
    this.#characters = 0;
  }
}
