/** Writes the fields of one message in the protobuf wire format (protobuf.dev/programming-guides/encoding). */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];

  varint(field: number, value: number): void {
    this.#chunks.push(Buffer.from([...varintBytes(field * 8), ...varintBytes(value)]));
  }

  double(field: number, value: number): void {
    const payload = Buffer.alloc(8);
    payload.writeDoubleLE(value);
    this.#chunks.push(Buffer.from(varintBytes(field * 8 + 1)), payload);
  }

  bytes(field: number, payload: Uint8Array): void {
    this.#chunks.push(Buffer.from([...varintBytes(field * 8 + 2), ...varintBytes(payload.length)]), payload);
  }

  text(field: number, value: string): void {
    this.bytes(field, Buffer.from(value));
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Whole numbers from 0 to 2^53 - 1. */
function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
