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
  { query: fields, body: bodyField }: Pick<Route<never, unknown>, "query" | "body">,
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
    Object.assign(request, body);
  } else if (bodyField !== undefined) {
    if (body === undefined) throw new UnreadableRequest(`the request has no body: send ${bodyField} as JSON`);
    request[bodyField] = body;
  }
  return Object.assign(request, path);
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
