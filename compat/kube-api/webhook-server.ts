import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startLoopbackServer } from "@capstan/testkit";
import { isObject, type JsonObject } from "./script.ts";
import { answerConversion, conversionSeen } from "./webhook-conversions.ts";

/** One webhook server for both clusters: /<cluster>/<case>/<behaviour>. */
export interface WebhookServer extends AsyncDisposable {
  /** "https://127.0.0.1:<port>" */
  readonly url: string;
  /** As a caBundle. */
  readonly ca: string;
  /** What a cluster has asked in a case, in order. */
  callsOf(cluster: string, id: string): readonly unknown[];
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  text?: string;
  response?: Record<string, unknown>;
}

type Behaviour = (request: Record<string, unknown>) => Reply | Promise<Reply>;

const patched = (operations: readonly object[]): Reply => ({
  response: {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  },
});

const emptyList = { op: "add", path: "/metadata/finalizers", value: [] };

/** Patches that do not fit. */
const misfits = {
  "misfit-remove": [{ op: "remove", path: "/data/none" }],
  "misfit-add": [{ op: "add", path: "/none/inner", value: "1" }],
  "misfit-replace": [{ op: "replace", path: "/none/inner", value: "1" }],
  "misfit-test": [{ op: "test", path: "/data/a", value: "other" }],
  "misfit-test-parent": [{ op: "test", path: "/none/inner", value: "1" }],
  "misfit-move": [{ op: "move", from: "/data/none", path: "/data/b" }],
  "misfit-move-parent": [{ op: "move", from: "/none/inner", path: "/data/b" }],
  "misfit-move-to": [{ op: "move", from: "/data/a", path: "/none/inner" }],
  "misfit-copy-parent": [{ op: "copy", from: "/none/inner", path: "/data/b" }],
  "misfit-copy-to": [{ op: "copy", from: "/data/a", path: "/none/inner" }],
  "misfit-index": [emptyList, { op: "remove", path: "/metadata/finalizers/3" }],
  "misfit-replace-index": [emptyList, { op: "replace", path: "/metadata/finalizers/3", value: "a" }],
  "misfit-add-index": [emptyList, { op: "add", path: "/metadata/finalizers/3", value: "a" }],
  "misfit-number": [emptyList, { op: "add", path: "/metadata/finalizers/first", value: "a" }],
  "misfit-number-parent": [emptyList, { op: "add", path: "/metadata/finalizers/first/name", value: "a" }],
  "misfit-test-index": [emptyList, { op: "test", path: "/metadata/finalizers/3", value: "a" }],
  "misfit-move-index": [emptyList, { op: "move", from: "/metadata/finalizers/3", path: "/data/b" }],
  "misfit-copy-index": [emptyList, { op: "copy", from: "/metadata/finalizers/3", path: "/data/b" }],
  "misfit-copy-to-index": [emptyList, { op: "copy", from: "/data/a", path: "/metadata/finalizers/3" }],
} as const;

export const misfitNames = Object.keys(misfits);

const behaviours: Readonly<Record<string, Behaviour>> = {
  allow: () => ({ response: { allowed: true } }),
  warn: () => ({ response: { allowed: true, warnings: ["be careful", 'a "quoted" one'] } }),
  deny: () => ({ response: { allowed: false, status: { message: "not this one", code: 403 } } }),
  reason: () => ({ response: { allowed: false, status: { reason: "Conflict", code: 409 } } }),
  bare: () => ({ response: { allowed: false } }),
  patch: () => patched([{ op: "add", path: "/data/patched", value: "yes" }]),
  label: () => patched([{ op: "add", path: "/metadata/labels", value: { patched: "yes" } }]),
  count: (request) => {
    const data = isObject(request.object) && isObject(request.object.data) ? request.object.data : {};
    const value = String(Number(data.count ?? "0") + 1);
    return patched([{ op: "add", path: "/data/count", value }]);
  },
  ...Object.fromEntries(
    Object.entries(misfits).map(([name, operations]) => [name, () => patched(operations)]),
  ),
  otheruid: () => ({ response: { uid: "other", allowed: true } }),
  nothing: () => ({ text: "{}" }),
  nojson: () => ({ text: "hello" }),
  broken: () => ({ status: 500, text: "broken" }),
  missing: () => ({ status: 404, text: "missing" }),
  slow: async () => {
    await sleep(3_000);
    return { response: { allowed: true } };
  },
};

export async function startWebhookServer(): Promise<WebhookServer> {
  const calls = new Map<string, unknown[]>();
  const listener: RequestListener = (incoming, outgoing) => {
    void (async () => {
      let text = "";
      for await (const piece of incoming) text += piece;
      const [, cluster = "", id = "", behaviour = ""] = (incoming.url ?? "").split(/[/?]/);
      const review: unknown = JSON.parse(text);
      if (!isObject(review) || !isObject(review.request)) throw new Error("no review");
      if (review.kind === "ConversionReview") {
        const query = (incoming.url ?? "").split("?")[1];
        noteConversion(calls, `${cluster}/${id}`, { behaviour, query, ...conversionSeen(review) });
        const { status = 200, text: said } = await answerConversion(behaviour, review);
        outgoing.writeHead(status, { "content-type": "application/json" });
        outgoing.end(said);
        return;
      }
      const reply = await answerOf(behaviour, review.request);
      if (!isSentinel(review.request) && !isBackground(review.request)) {
        const known = calls.get(`${cluster}/${id}`) ?? [];
        known.push({ behaviour, method: incoming.method, query: (incoming.url ?? "").split("?")[1], review });
        calls.set(`${cluster}/${id}`, known);
      }
      const { apiVersion, kind, request } = review;
      const body = reply.response && {
        apiVersion,
        kind,
        response: { uid: request.uid, ...reply.response },
      };
      outgoing.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
      outgoing.end(body ? JSON.stringify(body) : reply.text);
    })().catch(() => outgoing.destroy());
  };
  const server = await startLoopbackServer(listener, { tls: true });
  return {
    url: server.url,
    ca: Buffer.from(server.certificateAuthority).toString("base64"),
    callsOf: (cluster, id) => calls.get(`${cluster}/${id}`) ?? [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Each kind of conversion once, in an order of its own: caches of the real server ask whenever they want. */
function noteConversion(calls: Map<string, unknown[]>, key: string, seen: JsonObject): void {
  const texts = (calls.get(key) ?? []).map((known) => JSON.stringify(known));
  const all = [...new Set([...texts, JSON.stringify(seen)])].sort();
  calls.set(
    key,
    all.map((text): unknown => JSON.parse(text)),
  );
}

/** Written into each namespace by the cluster itself, some time after it is made. */
function isBackground({ name }: Record<string, unknown>): boolean {
  return name === "kube-root-ca.crt" || name === "default";
}

/** An object by whose refusal a case knows that its configuration is in force. */
function isSentinel(request: Record<string, unknown>): boolean {
  return typeof request.name === "string" && request.name.startsWith("sentinel");
}

function answerOf(behaviour: string, request: Record<string, unknown>): Reply | Promise<Reply> {
  if (isSentinel(request))
    return { response: { allowed: false, status: { message: `${behaviour} is ready` } } };
  return behaviours[behaviour]?.(request) ?? { status: 404 };
}
