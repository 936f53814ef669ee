import { isRecord } from "@capstan/formats";
import type { RpcClient } from "@capstan/testkit";
import type { ApiAnswer } from "@capstan/testkit/worlds";
import { type AnyRoute, everyRoute, readRequest, UnreadableRequest } from "@capstan/wire";
import { apiMethods } from "@capstan/wire/rpc";
import { httpStatusOf } from "@capstan/wire/status";

/** How requests reach Capstan: Argo CD's clients speak gRPC, and gRPC-web where proxies stand between. */
export type Form = "rest" | "grpc" | "web";

interface Asked {
  readonly line: string;
  readonly body: unknown;
  readonly token: string | null | undefined;
  readonly signal: AbortSignal;
}

/** The same request as a call of gRPC; undefined where it has no such form, as what is no message at all. */
export async function askByRpc(client: RpcClient, asked: Asked): Promise<ApiAnswer | undefined> {
  const found = findRoute(asked.line);
  const [method] = found?.route.rpc?.methods ?? [];
  if (!found || method === undefined) return undefined;
  const { route, path, query } = found;
  const { body, token, signal } = asked;
  const request = requestOf(route, { path, query, body });
  if (!request || !isSayable(method, request)) return undefined;
  const said = await client.askOrRefusal({ method, request, token: token ?? null, signal });
  const headers = new Headers();
  if ("answer" in said) return { status: 200, headers, body: said.answer };
  const { code, message } = said;
  return { status: httpStatusOf(code), headers, body: { error: message, code, message } };
}

function requestOf(route: AnyRoute, received: Parameters<typeof readRequest>[1]) {
  try {
    return messageOf(route, readRequest(route, received));
  } catch (error) {
    if (error instanceof UnreadableRequest) return undefined;
    throw error;
  }
}

/** A message has no field for some of what an address may say, as which fields are wanted. */
function isSayable(path: string, request: Record<string, unknown>): boolean {
  const names = new Set(apiMethods.get(path)?.input.fields.map(({ jsonName }) => jsonName));
  return Object.keys(request).every((name) => names.has(name));
}

function findRoute(line: string) {
  const [, method = "", address = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
  const [place = "", query = ""] = address.split("?", 2);
  for (const [, route] of everyRoute) {
    if (route.method !== method) continue;
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const pattern = new RegExp(`^${route.path.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const values = pattern.exec(place)?.slice(1);
    if (!values || values.some((value) => !isDecodable(value))) continue;
    const path = Object.fromEntries(
      names.map((name, index) => [name, decodeURIComponent(values[index] ?? "")]),
    );
    return { route, path, query };
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What the address names stands in the message at its place. */
function messageOf({ rpc }: AnyRoute, request: Record<string, unknown>): Record<string, unknown> {
  const message: Record<string, unknown> = structuredClone(request);
  for (const field of Object.keys(rpc?.fields ?? {})) delete message[field];
  for (const [field, place] of Object.entries(rpc?.fields ?? {}))
    if (request[field] !== undefined) setAt(message, place.split("."), request[field]);
  return message;
}

function setAt(
  target: Record<string, unknown>,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const within = isRecord(target[name]) ? target[name] : {};
  target[name] = within;
  setAt(within, rest, value);
}
