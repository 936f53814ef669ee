/**
 * What Node 26 has and Nodes from 20 on may lack, as far as the command line uses it. For the package capstan-cli,
 * which other Nodes run; loaded before everything else.
 */
import threads from "node:worker_threads";
import zlib from "node:zlib";

addMissing(Promise, "withResolvers", () => {
  let settle: Pick<PromiseWithResolvers<unknown>, "resolve" | "reject"> | undefined;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
});

addMissing(Map, "groupBy", (items: Iterable<unknown>, keyOf: (item: unknown, index: number) => unknown) => {
  const groups = new Map<unknown, unknown[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    index += 1;
  }
  return groups;
});

addMissing(
  globalThis,
  "AsyncDisposableStack",
  class Stack {
    #endings: (() => unknown)[] = [];

    use<T extends Partial<AsyncDisposable & Disposable> | null | undefined>(held: T): T {
      const end = held?.[Symbol.asyncDispose] ?? held?.[Symbol.dispose];
      if (end !== undefined) this.defer(() => end.call(held));
      return held;
    }

    defer(ending: () => unknown): void {
      this.#endings.push(ending);
    }

    move(): Stack {
      const other = new Stack();
      other.#endings = this.#endings;
      this.#endings = [];
      return other;
    }

    /** All are ended; the first failure is told. */
    async disposeAsync(): Promise<void> {
      const failures: unknown[] = [];
      for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop())
        await Promise.resolve()
          .then(end)
          .catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    }

    [Symbol.asyncDispose](): Promise<void> {
      return this.disposeAsync();
    }
  },
);

if (!Reflect.has(JSON, "rawJSON")) {
  // Nobody can write a text that begins so: what does was made here.
  const mark = `${crypto.randomUUID()}:`;
  const marked = new RegExp(`"${mark}(-?\\d+)"`, "g");
  const { stringify } = JSON;
  addMissing(JSON, "rawJSON", (text: string) => mark + text);
  const withIntegers = (...given: Parameters<typeof stringify>): string | undefined =>
    stringify(...given)?.replace(marked, "$1");
  Object.defineProperty(JSON, "stringify", { value: withIntegers, writable: true, configurable: true });
}

// undici names it when it is loaded, and calls it for answers that nobody asks for.
addMissing(zlib, "createZstdDecompress", () => {
  throw new Error("this Node reads no zstd: use Node 24 or newer");
});

// undici says of what it makes that no thread may be sent it; there is none.
addMissing(threads, "markAsUncloneable", () => undefined);

function addMissing(owner: object, name: string, value: unknown): void {
  if (name in owner) return;
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}
