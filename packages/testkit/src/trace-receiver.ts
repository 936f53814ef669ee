import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { eventually } from "./real-clock.ts";

/** OTLP's span, as far as tests look at it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  fromMs: number;
  toMs: number;
  facts: Record<string, string | number | boolean>;
  problem: string | undefined;
  /** Of the program: service.name, and what it was told to add. */
  resource: Record<string, string | number | boolean>;
}

export interface TraceReceiver extends AsyncDisposable {
  /** For --otlp-address. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Of each message. */
  readonly headers: readonly Readonly<Record<string, string | string[] | undefined>>[];
  /** Bytes of each message. */
  readonly sizes: readonly number[];
  /** The first span that is meant, once it has come. */
  span(isMeant: (span: ReceivedSpan) => boolean, what: string): Promise<ReceivedSpan>;
}

const waitMs = 60_000;

/** Takes traces by OTLP over HTTP (protobuf); `answers` false: it takes them and never says so. */
export async function startTraceReceiver({ answers = true } = {}): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: TraceReceiver["headers"][number][] = [];
  const sizes: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    headers.push(request.headers);
    sizes.push(body.length);
    spans.push(...readSpans(body));
    if (answers) response.writeHead(request.url === "/v1/traces" ? 200 : 404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ spans, headers, sizes },
    span: (isMeant, what) =>
      eventually(() => spans.find(isMeant), {
        signal: AbortSignal.timeout(waitMs),
        describe: () =>
          `${what} did not come; what came: ${[...new Set(spans.map(({ name }) => name))].join(", ")}`,
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Fields = Map<number, (Buffer | number)[]>;

function readSpans(body: Buffer): ReceivedSpan[] {
  return messages(readFields(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const of = resource ? readFacts(resource, 1) : {};
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => readSpan(span, of)),
    );
  });
}

function readSpan(span: Fields, resource: ReceivedSpan["resource"]): ReceivedSpan {
  const id = (field: number) => bytes(span, field).toString("hex");
  const [status] = messages(span, 15);
  const isFailed = status?.get(3)?.[0] === 2;
  return {
    ...{ traceId: id(1), spanId: id(2), parentSpanId: id(4), name: bytes(span, 5).toString() },
    fromMs: Number(bytes(span, 7).readBigUInt64LE()) / 1e6,
    toMs: Number(bytes(span, 8).readBigUInt64LE()) / 1e6,
    facts: readFacts(span, 9),
    problem: status && isFailed ? bytes(status, 2).toString() : undefined,
    resource,
  };
}

function readFacts(of: Fields, field: number): ReceivedSpan["facts"] {
  const facts = messages(of, field).map((pair) => {
    const [value = new Map()] = messages(pair, 2);
    return [bytes(pair, 1).toString(), readValue(value)] as const;
  });
  return Object.fromEntries(facts);
}

function readValue(value: Fields): string | number | boolean {
  if (value.has(1)) return bytes(value, 1).toString();
  if (value.has(2)) return value.get(2)?.[0] === 1;
  return value.has(4) ? bytes(value, 4).readDoubleLE() : Number(value.get(3)?.[0]);
}

function bytes(of: Fields, field: number): Buffer {
  const [value] = of.get(field) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function messages(of: Fields, field: number): Fields[] {
  return (of.get(field) ?? []).filter((one) => Buffer.isBuffer(one)).map(readFields);
}

/** Varints, 64 bits, and what says its length (protobuf.dev/programming-guides/encoding). */
function readFields(body: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (; ; factor *= 128) {
      const byte = body.readUInt8(at);
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const piece = (length: number): Buffer => {
    if (at + length > body.length) throw new Error("a message ends within a field");
    at += length;
    return body.subarray(at - length, at);
  };
  while (at < body.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type > 2) throw new Error(`a field of type ${type} is in no message of OTLP's traces`);
    const value = type === 0 ? varint() : piece(type === 1 ? 8 : varint());
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
