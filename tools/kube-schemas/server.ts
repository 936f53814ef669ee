import { request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";

/** A running kube-apiserver and, for defaults, the etcd below it. */
export interface Server {
  url: string;
  token: string;
  etcd: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export interface Call {
  path: string;
  accept?: string;
  method?: string;
  body?: unknown;
  contentType?: string;
}

export async function call(server: Server, input: Call): Promise<{ status: number; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  const target = new URL(server.url + input.path);
  const start = target.protocol === "https:" ? httpsRequest : httpRequest;
  const body = input.body === undefined ? "" : JSON.stringify(input.body);
  const headers = {
    "content-length": Buffer.byteLength(body),
    authorization: `Bearer ${server.token}`,
    accept: input.accept ?? "application/json",
    "content-type": input.contentType ?? "application/json",
  };
  const options = { method: input.method ?? "GET", rejectUnauthorized: false, headers };
  const sent = start(target, target.protocol === "https:" ? { ...options, agent } : options, (answer) => {
    const parts: Buffer[] = [];
    answer.on("data", (part: Buffer) => parts.push(part));
    answer.on("error", reject);
    answer.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      resolve({ status: answer.statusCode ?? 0, body: readJson(text) });
    });
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

/** Paths that are not served answer with plain text. */
function readJson(text: string): unknown {
  return /^\s*[[{"]/.test(text) ? JSON.parse(text) : text;
}

export async function get(server: Server, path: string, accept?: string): Promise<unknown> {
  const { status, body } = await call(server, accept ? { path, accept } : { path });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`);
  return body;
}

/** Writes straight into etcd: what the server reads back has been defaulted, but never validated. */
export async function putIntoEtcd(server: Server, key: string, value: unknown): Promise<void> {
  const body = { key: base64(key), value: base64(JSON.stringify(value)) };
  await call({ ...server, url: server.etcd }, { path: "/v3/kv/put", method: "POST", body });
}

export async function deleteFromEtcd(server: Server, key: string): Promise<void> {
  await call(
    { ...server, url: server.etcd },
    { path: "/v3/kv/deleterange", method: "POST", body: { key: base64(key) } },
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
