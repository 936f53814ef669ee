import { toBinary } from "@bufbuild/protobuf";
import { everyRoute } from "@capstan/wire";
import { apiMethods, messageOfJson } from "@capstan/wire/rpc";

export interface FuzzedRequest {
  readonly form: "rest" | "web";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** What ends the session that asks, or waits for somebody. */
const left: ReadonlySet<string> = new Set(["logout", "login", "updatePassword"]);

const calls = everyRoute.filter(([name, { stream }]) => !left.has(name) && !stream);
const methods = [...apiMethods.values()]
  .filter(({ methodKind, parent }) => methodKind === "unary" && parent.name !== "SessionService")
  .filter(({ name }) => name !== "UpdatePassword");

const oddTexts = [
  ...[
    "",
    "a",
    "default",
    "argocd",
    "../..",
    "%2e%2e",
    "\u0000",
    "\ud800",
    "🦄",
    "x".repeat(5_000),
    "*",
    "[[",
    "{a,b",
  ],
  ...["-1", "9007199254740993", "1e999", "NaN", "true", "null", "{}", "[]", "https://a.b/c.git", "__proto__"],
  ...[
    "a=b,c in (d",
    "items.metadata.name",
    "constructor",
    "$(id)",
    "<script>",
    "'\"`\\",
    "\r\nx: y",
    "in-cluster",
  ],
];

/** The next request, as odd as chance makes it. */
export function nextRequest(chance: () => number): FuzzedRequest {
  return chance() < 0.5 ? restRequest(chance) : rpcRequest(chance);
}

function pick<T>(items: readonly T[], chance: () => number): T {
  const item = items[Math.floor(chance() * items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}

function oddText(chance: () => number): string {
  return pick(oddTexts, chance);
}

function oddValue(chance: () => number, depth = 0): unknown {
  const kind = Math.floor(chance() * (depth > 4 ? 4 : 6));
  if (kind === 0) return oddText(chance);
  if (kind === 1) return pick([0, -1, 2 ** 53, 1.5, -0], chance);
  if (kind === 2) return chance() < 0.5;
  if (kind === 3) return null;
  const count = Math.floor(chance() * 4);
  const items = Array.from({ length: count }, () => oddValue(chance, depth + 1));
  if (kind === 4) return items;
  const names = ["metadata", "name", "spec", "project", "source", "repo", "url", "items", "server", "patch"];
  return Object.fromEntries(
    items.map((item) => [chance() < 0.7 ? pick(names, chance) : oddText(chance), item]),
  );
}

function restRequest(chance: () => number): FuzzedRequest {
  const [, route] = pick(calls, chance);
  const encode = (text: string) => encodeURIComponent(text.toWellFormed()) || "-";
  const place = route.path.replace(/\{\w+\}/g, () => encode(oddText(chance)));
  const names = [...Object.keys(route.query), "appNamespace", "zzz"];
  const query = Array.from({ length: Math.floor(chance() * 4) }, () => {
    const name = chance() < 0.9 ? pick(names, chance) : oddText(chance);
    return `${encode(name)}=${chance() < 0.9 ? encode(oddText(chance)) : "%zz%"}`;
  });
  const hasBody = route.method !== "GET";
  const json = JSON.stringify(oddValue(chance)) ?? "";
  const body = chance() < 0.85 ? json : json.slice(0, Math.floor(chance() * json.length));
  const types = ["application/json", "application/json; charset=utf-8", "text/plain", "application/x-yaml"];
  return {
    form: "rest",
    method: route.method,
    path: `${place}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    headers: {
      ...(hasBody ? { "content-type": chance() < 0.95 ? "application/json" : pick(types, chance) } : {}),
      ...(chance() < 0.1 ? { "accept-encoding": pick(["gzip", "zzz", "*;q=0"], chance) } : {}),
      ...(chance() < 0.05 ? { "x-forwarded-for": "1, 2, ::::" } : {}),
    },
    ...(hasBody ? { body } : {}),
  };
}

function rpcRequest(chance: () => number): FuzzedRequest {
  const method = pick(methods, chance);
  const sound = toBinary(method.input, messageOfJson(method.input, oddValue(chance)));
  const message = chance() < 0.5 ? sound : broken(sound, chance);
  const frame = new Uint8Array(5 + message.length);
  const flags = chance() < 0.95 ? 0 : Math.floor(chance() * 256);
  const length = chance() < 0.95 ? message.length : Math.floor(chance() * 2 ** 32);
  new DataView(frame.buffer).setUint8(0, flags);
  new DataView(frame.buffer).setUint32(1, length);
  frame.set(message, 5);
  return {
    form: "web",
    method: "POST",
    path: `/${method.parent.typeName}/${method.name}`,
    headers: {
      "content-type": chance() < 0.95 ? "application/grpc-web+proto" : "application/grpc-web-text",
      "x-grpc-web": "1",
      ...(chance() < 0.05 ? { "grpc-timeout": pick(["1S", "zzz", "99999999999999H", "-1S"], chance) } : {}),
      ...(chance() < 0.05 ? { "grpc-encoding": pick(["gzip", "zzz"], chance) } : {}),
    },
    body: frame,
  };
}

/** Bytes changed, cut off, or made up. */
function broken(bytes: Uint8Array, chance: () => number): Uint8Array {
  if (bytes.length === 0 || chance() < 0.2)
    return Uint8Array.from({ length: Math.floor(chance() * 200) }, () => Math.floor(chance() * 256));
  const changed = Uint8Array.from(bytes);
  for (let count = Math.ceil(chance() * 4); count > 0; count -= 1)
    changed[Math.floor(chance() * changed.length)] = Math.floor(chance() * 256);
  return chance() < 0.3 ? changed.subarray(0, Math.floor(chance() * changed.length)) : changed;
}
