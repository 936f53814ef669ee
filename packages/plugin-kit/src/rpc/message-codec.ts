import {
  create,
  type DescMessage,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { readBoundedMessage } from "@capstan/wire/bounded-message";

export interface MessageCodec<D extends DescMessage> {
  encode(message: MessageInitShape<D>): Buffer;
  decode(bytes: Buffer): MessageShape<D>;
}

/** Messages as grpc-js wants them: in Buffers. */
export function messageCodec<D extends DescMessage>(schema: D): MessageCodec<D> {
  return {
    encode(init) {
      const message = isMessage(init, schema) ? init : create(schema, init);
      const bytes = toBinary(schema, message);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    decode: (bytes) => readBoundedMessage(schema, bytes),
  };
}
