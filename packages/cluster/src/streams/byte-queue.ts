/** More than this unread, and the sender is ended: nothing here takes long to read. */
const mostBytes = 1 << 20;

/** Bytes as they come, for one reader. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  #waiting: Uint8Array[] = [];
  #size = 0;
  #ended = false;
  #changed = Promise.withResolvers<void>();

  /** False where too much waits: the reader does not keep up. */
  push(bytes: Uint8Array): boolean {
    if (this.#ended || bytes.length === 0) return true;
    this.#size += bytes.length;
    if (this.#size > mostBytes) return false;
    this.#waiting.push(bytes);
    this.#changed.resolve();
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#changed.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#size -= next.length;
        yield next;
        continue;
      }
      if (this.#ended) return;
      await this.#changed.promise;
      this.#changed = Promise.withResolvers();
    }
  }
}
