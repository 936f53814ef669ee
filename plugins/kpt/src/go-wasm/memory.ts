/** The memory of a Go program, with values of JavaScript in it as references (Go src/syscall/js/js.go, type ref). */
export class GoMemory {
  readonly #memory: WebAssembly.Memory;
  readonly #values = new Map<number, unknown>();
  readonly #ids = new Map<unknown, number>();
  readonly #counts = new Map<number, number>();
  readonly #free: number[] = [];

  /** `fixed`: values that Go knows by their number from the start. */
  constructor(memory: WebAssembly.Memory, fixed: readonly unknown[]) {
    this.#memory = memory;
    for (const [id, value] of fixed.entries()) {
      this.#values.set(id, value);
      this.#ids.set(value, id);
      this.#counts.set(id, Number.POSITIVE_INFINITY);
    }
  }

  /** Fresh at each use: growing detaches what was there. */
  get view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  int64(address: number): number {
    return Number(this.view.getBigInt64(address, true));
  }

  setInt64(address: number, value: number): void {
    this.view.setBigInt64(address, BigInt(Math.trunc(value)), true);
  }

  bytes(address: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.int64(address), this.int64(address + 8));
  }

  text(address: number): string {
    return new TextDecoder().decode(this.bytes(address));
  }

  value(address: number): unknown {
    const number = this.view.getFloat64(address, true);
    if (number === 0) return undefined;
    return Number.isNaN(number) ? this.#values.get(this.view.getUint32(address, true)) : number;
  }

  valuesAt(address: number): unknown[] {
    const start = this.int64(address);
    return Array.from({ length: this.int64(address + 8) }, (_, index) => this.value(start + index * 8));
  }

  setValue(address: number, value: unknown): void {
    if (typeof value === "number" && value !== 0 && !Number.isNaN(value))
      this.view.setFloat64(address, value, true);
    else if (value === undefined) this.view.setFloat64(address, 0, true);
    else {
      this.view.setUint32(address, this.#idOf(value), true);
      this.view.setUint32(address + 4, nanHead | flagOf(value), true);
    }
  }

  release(id: number): void {
    const left = (this.#counts.get(id) ?? 0) - 1;
    this.#counts.set(id, left);
    if (left > 0) return;
    this.#ids.delete(this.#values.get(id));
    for (const table of [this.#values, this.#counts]) table.delete(id);
    this.#free.push(id);
  }

  #idOf(value: unknown): number {
    const known = this.#ids.get(value);
    const id = known ?? this.#free.pop() ?? this.#values.size + this.#free.length;
    this.#values.set(id, value);
    this.#ids.set(value, id);
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    return id;
  }
}

/** A number that is none marks a reference; its lowest bits say of what. */
const nanHead = 0x7ff80000;

const flags: Readonly<Record<string, number>> = { object: 1, string: 2, symbol: 3, function: 4 };

function flagOf(value: unknown): number {
  return value === null ? 0 : (flags[typeof value] ?? 0);
}
