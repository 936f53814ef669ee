/** Who wants to be told. One that throws is reported, and keeps nobody else from being told. */
export class Listeners<T extends readonly unknown[]> {
  readonly #listeners = new Set<(...told: T) => void>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns what ends it. */
  add(listener: (...told: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(...told: T): void {
    for (const listener of this.#listeners) this.tellOne(listener, ...told);
  }

  tellOne(listener: (...told: T) => void, ...told: T): void {
    try {
      listener(...told);
    } catch (error) {
      this.#report(error);
    }
  }
}
