interface Due {
  readonly key: string;
  readonly at: number;
}

/** Keys and when each is due: the earliest is at hand, however many there are. */
export class DueTimes {
  readonly #times = new Map<string, number>();
  /** A heap with the earliest first. What was set anew or deleted stays until its turn, or until it is most of it. */
  #heap: Due[] = [];

  get size(): number {
    return this.#times.size;
  }

  get(key: string): number | undefined {
    return this.#times.get(key);
  }

  keys(): MapIterator<string> {
    return this.#times.keys();
  }

  set(key: string, at: number): void {
    this.#times.set(key, at);
    if (this.#heap.length > 2 * this.#times.size + slack) this.#rebuild();
    else this.#push({ key, at });
  }

  delete(key: string): void {
    this.#times.delete(key);
  }

  /** When the earliest is due. */
  next(): number | undefined {
    for (let first = this.#heap[0]; first; first = this.#heap[0]) {
      if (this.#times.get(first.key) === first.at) return first.at;
      this.#pop();
    }
    return undefined;
  }

  /** Those that are due, which are no longer kept; the earliest first. */
  take(now: number): string[] {
    const due: string[] = [];
    for (let at = this.next(); at !== undefined && at <= now; at = this.next()) {
      const { key = "" } = this.#pop() ?? {};
      this.#times.delete(key);
      due.push(key);
    }
    return due;
  }

  #rebuild(): void {
    this.#heap = Array.from(this.#times, ([key, at]) => ({ key, at })).sort(
      (one, other) => one.at - other.at,
    );
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let index = heap.length;
    for (; index > 0; ) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.at <= due.at) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const below =
        (heap[left + 1]?.at ?? Number.POSITIVE_INFINITY) < (heap[left]?.at ?? 0) ? left + 1 : left;
      const child = heap[below];
      if (!child || child.at >= last.at) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  }
}

const slack = 64;
