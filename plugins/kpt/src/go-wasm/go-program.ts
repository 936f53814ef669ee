import { randomFillSync } from "node:crypto";
import { goWorld } from "./go-world.ts";
import { GoMemory } from "./memory.ts";

type Call = (sp: number) => void;

/** Names by which a value leads to the means of making code. */
const hidden = new Set(["constructor", "__proto__", "prototype", "caller", "callee"]);
const argumentsAt = 4096;

/** A program of Go for GOOS=js GOARCH=wasm, started, with what it has made known of itself. */
export class GoProgram {
  readonly global: Record<string, unknown>;
  readonly #memory: GoMemory;
  readonly #exports: WebAssembly.Instance["exports"];
  readonly #write: (bytes: Uint8Array) => void;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #nextTimer = 1;
  #exitCode: number | undefined;
  /** What Go calls its own object; callbacks come through it. */
  readonly #self: Record<string, unknown> = { _pendingEvent: null };

  private constructor(module: WebAssembly.Module, write: (bytes: Uint8Array) => void) {
    this.#write = write;
    this.global = goWorld(write);
    this.#self._makeFuncWrapper = (id: unknown) => this.#callback(id);
    const calls = this.#calls();
    // Before Go 1.21 the module was called "go".
    const instance = new WebAssembly.Instance(module, { go: calls, gojs: calls });
    this.#exports = instance.exports;
    const memory = instance.exports.mem;
    if (!(memory instanceof WebAssembly.Memory))
      throw new Error("it is no program of Go: it exports no memory");
    this.#memory = new GoMemory(memory, [Number.NaN, 0, null, true, false, this.global, this.#self]);
  }

  /** Runs its main function until that ends or waits. */
  static start(bytes: Uint8Array, write: (bytes: Uint8Array) => void): GoProgram {
    const program = new GoProgram(new WebAssembly.Module(bytes), write);
    const name = new TextEncoder().encode("krm-fn\0");
    const { buffer } = program.#memory.view;
    new Uint8Array(buffer, argumentsAt, name.length).set(name);
    const list = argumentsAt + 8;
    program.#memory.setInt64(list, argumentsAt);
    for (const end of [8, 16]) program.#memory.setInt64(list + end, 0);
    program.#export("run")(1, list);
    return program;
  }

  call(name: string, given: string): unknown {
    const found = this.global[name];
    if (typeof found !== "function") throw new Error(`it makes no function ${name} known`);
    const result: unknown = Reflect.apply(found, undefined, [given]);
    if (this.#exitCode !== undefined) throw new Error(`it ended with exit code ${this.#exitCode}`);
    return result;
  }

  #export(name: string): (...given: number[]) => number {
    const found = this.#exports[name];
    if (typeof found !== "function") throw new Error(`it is no program of Go: it exports no ${name}`);
    return (...given) => Number(Reflect.apply(found, undefined, given));
  }

  #resume(): void {
    if (this.#exitCode !== undefined) throw new Error(`it has ended with exit code ${this.#exitCode}`);
    this.#export("resume")();
  }

  #callback(id: unknown): (...given: unknown[]) => unknown {
    return (...args) => {
      const event: Record<string, unknown> = { id, this: undefined, args, result: undefined };
      this.#self._pendingEvent = event;
      this.#resume();
      return event.result;
    };
  }

  #calls(): Record<string, Call> {
    const named = { ...this.#runtime(), ...this.#access(), ...this.#calling(), ...this.#copying() };
    return Object.fromEntries(Object.entries(named).map(([name, call]) => [name, (sp) => call(sp >>> 0)]));
  }

  #runtime(): Record<string, Call> {
    const now = () => performance.timeOrigin + performance.now();
    return {
      "runtime.wasmExit": (sp) => {
        this.#exitCode = this.#memory.view.getInt32(sp + 8, true);
      },
      "runtime.wasmWrite": (sp) => {
        const { view } = this.#memory;
        const start = this.#memory.int64(sp + 16);
        this.#write(new Uint8Array(view.buffer, start, view.getInt32(sp + 24, true)).slice());
      },
      "runtime.resetMemoryDataView": () => undefined,
      "runtime.nanotime1": (sp) => this.#memory.setInt64(sp + 8, now() * 1e6),
      "runtime.walltime": (sp) => {
        this.#memory.setInt64(sp + 8, now() / 1000);
        this.#memory.view.setInt32(sp + 16, Math.trunc((now() % 1000) * 1e6), true);
      },
      "runtime.scheduleTimeoutEvent": (sp) => {
        const id = this.#nextTimer++;
        const wake = () => {
          this.#timers.delete(id);
          this.#resume();
        };
        this.#timers.set(id, setTimeout(wake, this.#memory.int64(sp + 8)));
        this.#memory.view.setInt32(sp + 16, id, true);
      },
      "runtime.clearTimeoutEvent": (sp) => {
        const id = this.#memory.view.getInt32(sp + 8, true);
        clearTimeout(this.#timers.get(id));
        this.#timers.delete(id);
      },
      "runtime.getRandomData": (sp) => void randomFillSync(this.#memory.bytes(sp + 8)),
      debug: () => undefined,
    };
  }

  #access(): Record<string, Call> {
    const memory = () => this.#memory;
    return {
      "syscall/js.finalizeRef": (sp) => memory().release(memory().view.getUint32(sp + 8, true)),
      "syscall/js.stringVal": (sp) => memory().setValue(sp + 24, memory().text(sp + 8)),
      "syscall/js.valueGet": (sp) =>
        memory().setValue(sp + 32, read(memory().value(sp + 8), memory().text(sp + 16))),
      "syscall/js.valueSet": (sp) =>
        set(memory().value(sp + 8), memory().text(sp + 16), memory().value(sp + 32)),
      "syscall/js.valueDelete": (sp) => {
        const [value, name] = [memory().value(sp + 8), memory().text(sp + 16)];
        if (isObject(value)) Reflect.deleteProperty(value, name);
      },
      "syscall/js.valueIndex": (sp) =>
        memory().setValue(sp + 24, read(memory().value(sp + 8), String(memory().int64(sp + 16)))),
      "syscall/js.valueSetIndex": (sp) =>
        set(memory().value(sp + 8), String(memory().int64(sp + 16)), memory().value(sp + 24)),
      "syscall/js.valueLength": (sp) =>
        memory().setInt64(sp + 16, Number(read(memory().value(sp + 8), "length"))),
      "syscall/js.valueInstanceOf": (sp) => {
        const [value, kind] = [memory().value(sp + 8), memory().value(sp + 16)];
        memory().view.setUint8(sp + 24, typeof kind === "function" && value instanceof kind ? 1 : 0);
      },
    };
  }

  #calling(): Record<string, Call> {
    const memory = () => this.#memory;
    // What is called may call Go again, which moves the stack.
    const answer = (at: number, work: () => unknown) => {
      let [result, isGood]: [unknown, boolean] = [undefined, true];
      try {
        result = work();
      } catch (error) {
        [result, isGood] = [error, false];
      }
      const sp = this.#export("getsp")() >>> 0;
      memory().setValue(sp + at, result);
      memory().view.setUint8(sp + at + 8, isGood ? 1 : 0);
    };
    return {
      "syscall/js.valueCall": (sp) =>
        answer(56, () => {
          const value = memory().value(sp + 8);
          return apply(read(value, memory().text(sp + 16)), value, memory().valuesAt(sp + 32));
        }),
      "syscall/js.valueInvoke": (sp) =>
        answer(40, () => apply(memory().value(sp + 8), undefined, memory().valuesAt(sp + 16))),
      "syscall/js.valueNew": (sp) =>
        answer(40, () => {
          const kind = memory().value(sp + 8);
          if (typeof kind !== "function") throw new TypeError("it cannot be made");
          return Reflect.construct(kind, memory().valuesAt(sp + 16));
        }),
    };
  }

  #copying(): Record<string, Call> {
    const memory = () => this.#memory;
    const copy = (sp: number, from: unknown, to: unknown) => {
      const isGood = from instanceof Uint8Array && to instanceof Uint8Array;
      if (isGood) {
        const part = from.subarray(0, to.length);
        to.set(part);
        memory().setInt64(sp + 40, part.length);
      }
      memory().view.setUint8(sp + 48, isGood ? 1 : 0);
    };
    return {
      "syscall/js.valuePrepareString": (sp) => {
        const bytes = new TextEncoder().encode(String(memory().value(sp + 8)));
        memory().setValue(sp + 16, bytes);
        memory().setInt64(sp + 24, bytes.length);
      },
      "syscall/js.valueLoadString": (sp) => {
        const bytes = memory().value(sp + 8);
        if (bytes instanceof Uint8Array)
          memory()
            .bytes(sp + 16)
            .set(bytes);
      },
      "syscall/js.copyBytesToGo": (sp) => copy(sp, memory().value(sp + 32), memory().bytes(sp + 8)),
      "syscall/js.copyBytesToJS": (sp) => copy(sp, memory().bytes(sp + 16), memory().value(sp + 8)),
    };
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function read(value: unknown, name: string): unknown {
  if (hidden.has(name) || value === undefined || value === null) return undefined;
  return Reflect.get(Object(value), name);
}

function set(value: unknown, name: string, content: unknown): void {
  if (isObject(value) && !hidden.has(name)) Reflect.set(value, name, content);
}

function apply(called: unknown, self: unknown, given: unknown[]): unknown {
  if (typeof called !== "function") throw new TypeError("it is no function");
  return Reflect.apply(called, self, given);
}
