/** Reads the protobuf wire format (protobuf.dev/programming-guides/encoding) from a buffer. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined) throw new RangeError("the message ends in the middle of a number");
      this.#offset += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number has more than ten bytes");
  }

  tag(): { field: number; type: number } {
    const tag = Number(this.varint());
    return { field: tag >>> 3, type: tag & 7 };
  }

  bytes(): Uint8Array {
    return this.#take(Number(this.varint()));
  }

  double(): number {
    const at = this.#offset;
    this.#take(8);
    return this.#view.getFloat64(at, true);
  }

  skip(type: number): void {
    if (type === 0) this.varint();
    else if (type === 1) this.#take(8);
    else if (type === 2) this.bytes();
    else if (type === 5) this.#take(4);
    else throw new RangeError(`unknown wire type ${type}`);
  }

  #take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (!(length >= 0 && end <= this.#bytes.length))
      throw new RangeError("the message ends in the middle of a field");
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}
