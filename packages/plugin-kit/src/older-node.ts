/**
 * What the kit and what it uses have of Node 26 and earlier Nodes have not, from 20 on: an import for its effect,
 * before all others, in what runs elsewhere than in Capstan. What is there is left alone.
 */

interface Disposed extends Error {
  error?: unknown;
  suppressed?: unknown;
}

function lend(owner: object, name: string | symbol, value: unknown): void {
  if (!(name in owner))
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}

/** ECMA-262, Promise.withResolvers: Node 22. */
lend(Promise, "withResolvers", <Value>() => {
  let resolve: (value: Value | PromiseLike<Value>) => void = () => undefined;
  let reject: (reason?: unknown) => void = () => undefined;
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
});

/** Of ECMA's explicit resource management, what the kit uses of its AsyncDisposableStack: Node 24. */
class Stack implements AsyncDisposable {
  #ends: (() => unknown)[] = [];

  use<Value extends AsyncDisposable | Disposable | null | undefined>(value: Value): Value {
    if (value)
      this.defer(() =>
        Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose](),
      );
    return value;
  }

  adopt<Value>(value: Value, end: (value: Value) => unknown): Value {
    this.defer(() => end(value));
    return value;
  }

  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  move(): Stack {
    const moved = new Stack();
    moved.#ends = this.#ends;
    this.#ends = [];
    return moved;
  }

  disposeAsync(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** The last first, each after the other; of several failures the last holds the earlier ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.#ends.pop(); end; end = this.#ends.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures.reduce(suppressing);
  }
}

function suppressing(suppressed: unknown, error: unknown): Disposed {
  return Object.assign(new Error("An error was suppressed during disposal."), { error, suppressed });
}

lend(globalThis, "AsyncDisposableStack", Stack);

/** TC39's base64 of arrays: Node 25. Whoever calls them has left out blanks. */
lend(Uint8Array, "fromBase64", (text: string) => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text))
    throw new SyntaxError("The base64 input terminates with too many or too few characters");
  return new Uint8Array(Buffer.from(text, "base64"));
});
lend(Uint8Array.prototype, "toBase64", function (this: Uint8Array) {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString("base64");
});
