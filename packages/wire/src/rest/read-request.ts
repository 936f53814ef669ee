import { isRecord } from "@capstan/formats";
import { checkShape, type Shape, withoutNulls } from "@capstan/model/shapes";
import type { FieldKind, Route } from "./route.ts";

export interface ReceivedRequest {
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, string>>;
  /** Everything after the question mark. */
  readonly query: string;
  /** Parsed body, undefined without one. */
  readonly body?: unknown;
}

/** What cannot be read, named by its field. */
export class UnreadableRequest extends Error {
  override readonly name = "UnreadableRequest";
}

/** The inverse of buildRequest. Parameters that the route does not know are left out, as grpc-gateway does. */
export function readRequest(
  { query: fields, body: bodyField, bodyShape }: Pick<Route<never, unknown>, "query" | "body" | "bodyShape">,
  { path, query, body }: ReceivedRequest,
): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  const parameters = new URLSearchParams(query);
  for (const [name, kind] of Object.entries(fields)) {
    const texts = parameters.getAll(name);
    if (texts.length > 0) request[name] = readField(name, kind, texts);
  }
  if (bodyField === "*") {
    if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
      throw new UnreadableRequest("the body must be a JSON object");
    Object.assign(request, readBody(bodyShape, body, ""));
  } else if (bodyField !== undefined) {
    if (body === undefined) throw new UnreadableRequest(`the request has no body: send ${bodyField} as JSON`);
    request[bodyField] = readBody(bodyShape, body, bodyField);
  }
  return Object.assign(request, path);
}

/** The same request from a gRPC message as JSON: what REST has in the address is never absent, if only empty. */
export function readMessage(
  {
    path,
    body: bodyField,
    bodyShape,
    rpc,
  }: Pick<Route<never, unknown>, "path" | "body" | "bodyShape" | "rpc">,
  message: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const request: Record<string, unknown> = { ...message };
  for (const [field, place] of Object.entries(rpc?.fields ?? {})) request[field] = valueAt(message, place);
  for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) request[name] = String(request[name] ?? "");
  if (bodyField === "*") return Object.assign(request, readBody(bodyShape, request, ""));
  if (bodyField === undefined) return request;
  // An empty text is not sent.
  if (bodyShape?.type === "string") request[bodyField] ??= "";
  if (request[bodyField] === undefined) throw new UnreadableRequest(`the request has no ${bodyField}`);
  return Object.assign(request, { [bodyField]: readBody(bodyShape, request[bodyField], bodyField) });
}

/** Finds a value by its dotted place in a message as JSON. */
export function valueAt(message: unknown, place: string): unknown {
  return place.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), message);
}

const maxProblems = 5;

/** As Go reads it (encoding/json Unmarshal): what is there must be of its kind, null is absent, more is left alone. */
function readBody(shape: Shape | undefined, body: unknown, name: string): unknown {
  if (shape === undefined || body === undefined || body === null) return body;
  const problems = checkShape(shape, body, { partial: true }).filter(({ severity }) => severity === "error");
  if (problems.length === 0) return withoutNulls(shape, body);
  // What it is instead is not told: it may be a password without its quotes.
  const sentences = problems.slice(0, maxProblems).map(({ field, message }) => {
    const place = [name, field].filter((part) => part !== "").join(".");
    return `${place}: ${message.split(", not ")[0]}`;
  });
  throw new UnreadableRequest(sentences.join("; "));
}

function readField(name: string, kind: FieldKind, texts: readonly string[]): unknown {
  if (kind === "strings") return texts;
  if (kind === "integers") return texts.map((text) => readInteger(name, text));
  const text = texts.at(-1) ?? "";
  if (kind === "integer") return readInteger(name, text);
  if (kind === "boolean") return readBoolean(name, text);
  return text;
}

function readInteger(name: string, text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new UnreadableRequest(`${name}: "${text}" is not a whole number`);
  return value;
}

/** As Go's strconv.ParseBool. */
function readBoolean(name: string, text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new UnreadableRequest(`${name}: "${text}" is neither true nor false`);
}
