import { BinaryReader } from "@bufbuild/protobuf/wire";
import { specialMessages } from "./special-messages.ts";

/** [JSON name, type, flags]: "r" repeated, "m" map, "i" inline, "z" zero values are kept. See tools/generate-kube-protobuf.ts. */
export type FieldRow = readonly [name: string, type: string, flags: string];
export type MessageTable = Readonly<Record<string, Readonly<Record<string, FieldRow>>>>;
export type Fields = Record<string, unknown>;

const maxDepth = 200;

/** A message as the JSON that a JSON client would have sent. Throws Error or RangeError on bytes that are no such message. */
export function decodeMessage(table: MessageTable, type: string, bytes: Uint8Array): unknown {
  return decodeAt({ table, depth: 0 }, type, bytes);
}

interface Place {
  table: MessageTable;
  depth: number;
}

function decodeAt({ table, depth }: Place, type: string, bytes: Uint8Array): unknown {
  const rows = table[type];
  if (!rows || depth > maxDepth) throw new RangeError(rows ? "nested too deeply" : `unknown message ${type}`);
  const reader = new BinaryReader(bytes);
  const fields: Fields = {};
  const nested = (inner: string, content: Uint8Array): unknown =>
    decodeAt({ table, depth: depth + 1 }, inner, content);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const row = rows[field];
    if (row) readField(fields, row, { reader, nested });
    else reader.skip(wireType, field);
  }
  const special = specialMessages[type];
  return special ? special(fields) : fields;
}

interface Source {
  reader: BinaryReader;
  nested: (type: string, content: Uint8Array) => unknown;
}

function readField(fields: Fields, [name, type, flags]: FieldRow, source: Source): void {
  if (flags.includes("m")) {
    const { key, value } = readEntry(type, source);
    setOwn(recordAt(fields, name), key, value);
    return;
  }
  const value = readValue(type, source);
  if (flags.includes("i")) Object.assign(fields, value);
  else if (flags.includes("r")) listAt(fields, name).push(value);
  else if (flags.includes("z") || !isZero(value)) fields[name] = value;
}

/** Map entries are messages of key 1 and value 2. */
function readEntry(type: string, { reader, nested }: Source): { key: string; value: unknown } {
  const entry = new BinaryReader(reader.bytes());
  let key = "";
  let value: unknown = type === "string" || type === "bytes" ? "" : undefined;
  const source = { reader: entry, nested };
  while (entry.pos < entry.len) {
    const [field, wireType] = entry.tag();
    if (field === 1) key = String(readValue("string", source));
    else if (field === 2) value = readValue(type, source);
    else entry.skip(wireType, field);
  }
  return { key, value };
}

function readValue(type: string, { reader, nested }: Source): unknown {
  switch (type) {
    case "string":
      return reader.string();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    case "bool":
      return reader.bool();
    case "double":
      return reader.double();
    case "int32":
      return reader.int32();
    case "int64":
    case "uint32":
    case "uint64": {
      const value = BigInt(reader.int64());
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    default:
      return nested(type, reader.bytes());
  }
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false;

function setOwn(record: Fields, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function recordAt(fields: Fields, name: string): Fields {
  const found = fields[name];
  if (isRecord(found)) return found;
  const made: Fields = {};
  fields[name] = made;
  return made;
}

function listAt(fields: Fields, name: string): unknown[] {
  const found = fields[name];
  if (Array.isArray(found)) return found;
  const made: unknown[] = [];
  fields[name] = made;
  return made;
}
