import type { EndedStep, StepFacts } from "@capstan/flow";

/*
 * OTLP's messages (opentelemetry-proto: collector/trace/v1/trace_service.proto, trace/v1/trace.proto), as protobuf. They
 * are few and are only ever written: what wrote any message would be loaded for them alone.
 */

/** ExportTraceServiceRequest, of spans that are encoded already. */
export function encodeRequest(
  { attributes, version }: { attributes: Readonly<Record<string, string>>; version: string },
  spans: readonly Buffer[],
): Buffer {
  const resource = message(1, encodeFacts(1, attributes));
  const scope = message(1, [text(1, "capstan"), text(2, version)]);
  const scopeSpans = message(2, [scope, ...spans.map((span) => bytes(2, span))]);
  return message(1, [resource, scopeSpans]);
}

/** Span. */
export function encodeSpan(step: EndedStep): Buffer {
  const { name, traceId, spanId, parentSpanId, fromMs, toMs, facts = {}, problem } = step;
  return Buffer.concat([
    bytes(1, Buffer.from(traceId, "hex")),
    bytes(2, Buffer.from(spanId, "hex")),
    ...(parentSpanId === undefined ? [] : [bytes(4, Buffer.from(parentSpanId, "hex"))]),
    text(5, name),
    number(6, internal),
    time(7, fromMs),
    time(8, Math.max(fromMs, toMs)),
    ...encodeFacts(9, facts),
    ...(problem === undefined ? [] : [message(15, [text(2, problem), number(3, failed)])]),
  ]);
}

/** SPAN_KIND_INTERNAL, STATUS_CODE_ERROR. */
const [internal, failed] = [1, 2];

/** KeyValue, with an AnyValue. */
function encodeFacts(field: number, facts: StepFacts): Buffer[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [message(field, [text(1, key), message(2, [encodeValue(value)])])],
  );
}

function encodeValue(value: string | number | boolean): Buffer {
  if (typeof value === "string") return text(1, value);
  if (typeof value === "boolean") return number(2, Number(value));
  if (Number.isSafeInteger(value) && value >= 0) return number(3, value);
  const double = Buffer.alloc(8);
  double.writeDoubleLE(value);
  return Buffer.concat([tag(4, 1), double]);
}

function tag(field: number, wireType: 0 | 1 | 2): Buffer {
  return varint(field * 8 + wireType);
}

function varint(value: number): Buffer {
  const all: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) all.push((rest % 128) + 128);
  return Buffer.from([...all, rest]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([tag(field, 0), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([tag(field, 2), varint(value.length), value]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  return bytes(field, Buffer.concat(parts));
}

/** fixed64, nanoseconds. */
function time(field: number, ms: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(BigInt(Math.round(ms * 1_000)) * 1_000n);
  return Buffer.concat([tag(field, 1), value]);
}
