/** A door of its own: whoever serves or asks by gRPC reads with it, without the messages of any service. */
import {
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** As many as a document of YAML may come to. A list of all files that a render may read has fewer. */
const mostValues = 1_000_000;
/** As the reader's own. */
const maxDepth = 100;

/**
 * A message that somebody else has sent, bounded before any of it is made into values: two bytes of it may become an
 * object a hundred times as large, whether the field is a known one or not.
 */
export function readBoundedMessage<D extends DescMessage>(desc: D, bytes: Uint8Array): MessageShape<D> {
  checkValues(desc, bytes, mostValues);
  return fromBinary(desc, bytes);
}

/** Throws a RangeError where a message has more values, or says of one that it is longer than it can be. */
export function checkValues(desc: DescMessage, bytes: Uint8Array, mostValues: number): void {
  const reader = new BinaryReader(bytes);
  let left = mostValues;
  const take = (count: number) => {
    left -= count;
    if (left < 0) throw new RangeError(`the message has more than ${mostValues} values`);
  };
  const goOver = (fields: Fields, end: number, depth: number): void => {
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      take(1);
      const content = type === WireType.LengthDelimited ? fields.get(number) : undefined;
      if (content === undefined) {
        reader.skip(type, number);
        continue;
      }
      const contentEnd = reader.uint32() + reader.pos;
      if (contentEnd > end) throw new RangeError("a value is longer than what it stands in");
      // Each byte may be a number.
      if (content === "packed") take(contentEnd - reader.pos);
      else if (depth < maxDepth) goOver(content(), contentEnd, depth + 1);
      reader.pos = contentEnd;
    }
  };
  goOver(fieldsOf(desc), bytes.byteLength, 0);
}

/** What of a message holds more values than one, by number. */
type Fields = ReadonlyMap<number, Content>;
type Content = "packed" | (() => Fields);

const known = new WeakMap<DescMessage, Fields>();

function fieldsOf(desc: DescMessage): Fields {
  const before = known.get(desc);
  if (before) return before;
  const fields = new Map<number, Content>();
  for (const field of desc.fields) {
    const content = contentOf(field);
    if (content !== undefined) fields.set(field.number, content);
  }
  known.set(desc, fields);
  return fields;
}

/** Field 2 of an entry of a map is its value. */
const valueNumber = 2;

function contentOf(field: DescField): Content | undefined {
  const { fieldKind, message } = field;
  if (message) {
    const within = () => fieldsOf(message);
    if (fieldKind !== "map") return within;
    const entry = new Map([[valueNumber, within]]);
    return () => entry;
  }
  return fieldKind === "list" && !isText(field.scalar) ? "packed" : undefined;
}

function isText(scalar: ScalarType | undefined): boolean {
  return scalar === ScalarType.STRING || scalar === ScalarType.BYTES;
}
