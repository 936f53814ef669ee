import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Clock } from "@capstan/flow";
import type { ClusterConfig } from "./cluster-config.ts";
import { httpTransport } from "./http-transport.ts";

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => void (await sleep(ms, undefined, { signal })),
};
const get = (url: string) => ({ method: "GET", url, headers: {}, signal: AbortSignal.timeout(100_000) });

async function server(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const listener = createServer(handle);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const dispose = async () => {
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose };
}

function transportTo(config: ClusterConfig) {
  return httpTransport(config, { clock, env: { PATH: process.env.PATH } });
}

test("credentials, path and answer go through, compressed answers are opened", async () => {
  const seen: (string | undefined)[] = [];
  await using api = await server((request, response) => {
    seen.push(request.url, request.headers.authorization, String(request.headers["accept-encoding"]));
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"kind":"PodList"}'));
  });
  await using transport = transportTo({ server: `${api.url}/prefix/`, bearerToken: "abc" });
  const answer = await transport(get("/api/v1/pods?limit=1"));
  assert.deepEqual([answer.status, answer.body], [200, '{"kind":"PodList"}']);
  assert.deepEqual(seen, ["/prefix/api/v1/pods?limit=1", "Bearer abc", "gzip"]);
});

test("no more of undici is loaded than reaches a cluster", async () => {
  await using api = await server((_request, response) => void response.end("{}"));
  // A program of its own: what other tests load is not told apart.
  const script = `
    import { createRequire } from "node:module";
    import { setTimeout as sleep } from "node:timers/promises";
    import { httpTransport } from ${JSON.stringify(new URL("./http-transport.ts", import.meta.url).href)};
    const transport = httpTransport({ server: process.argv[1] }, { clock: { now: Date.now, sleep } });
    await transport({ method: "GET", url: "/version", headers: {}, signal: AbortSignal.timeout(100_000) });
    await transport[Symbol.asyncDispose]();
    console.log(JSON.stringify(Object.keys(createRequire("/x").cache)));`;
  const flags = ["--input-type=module", "-e", script, api.url];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const loaded: string[] = JSON.parse(stdout).map((file: string) => file.replace(/.*\/undici\//, "undici/"));
  assert.ok(loaded.some((file) => file.startsWith("undici/")));
  assert.deepEqual(
    loaded.filter((file) => /^undici\/lib\/(web|mock|cache)\//.test(file)),
    [],
  );
});

test("a watch comes in pieces as they are sent, characters kept whole", async () => {
  const [first, second] = [Buffer.from('{"a":"ä').subarray(0, 7), Buffer.from('{"a":"ä"}\n').subarray(7)];
  await using api = await server(async (_request, response) => {
    response.writeHead(200);
    response.write(first);
    await sleep(20);
    response.end(second);
  });
  await using transport = transportTo({ server: api.url, username: "u", password: "p" });
  const { body } = await transport(get("/api/v1/pods?watch=true"));
  assert.ok(typeof body !== "string");
  let text = "";
  for await (const piece of body) text += piece;
  assert.equal(text, '{"a":"ä"}\n');
});

for (const encoding of ["identity", "gzip"])
  test(`an answer that breaks off is an error: ${encoding}`, async () => {
    const text = JSON.stringify({ kind: "PodList", items: Array.from({ length: 10_000 }, Math.random) });
    const body = encoding === "gzip" ? gzipSync(text) : Buffer.from(text);
    await using api = await server((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding, "content-length": body.length });
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
    });
    await using transport = transportTo({ server: api.url });
    await assert.rejects(transport(get("/api/v1/pods")), { code: "UNAVAILABLE" });
  });

test("a cluster that is out of reach is named", async () => {
  await using transport = transportTo({ server: "http://127.0.0.1:1" });
  await assert.rejects(transport(get("/api")), /cluster http:\/\/127\.0\.0\.1:1 is not available/);
});

test("a credential program is asked once, and again after a 401", async () => {
  const tokens: (string | undefined)[] = [];
  await using api = await server((request, response) => {
    tokens.push(request.headers.authorization);
    response.writeHead(tokens.length === 2 ? 401 : 200).end("{}");
  });
  const credential = { kind: "ExecCredential", status: { token: "t" } };
  const exec = {
    command: process.execPath,
    args: ["-e", `console.log(JSON.stringify(${JSON.stringify(credential)}))`],
    env: {},
    apiVersion: "client.authentication.k8s.io/v1",
  };
  await using transport = transportTo({ server: api.url, exec });
  for (let count = 0; count < 2; count += 1) assert.equal((await transport(get("/api"))).status, 200);
  assert.deepEqual(tokens, ["Bearer t", "Bearer t", "Bearer t"]);
});

test("a credential program that fails says why; neither its arguments nor its output are told", async () => {
  const exec = {
    command: process.execPath,
    args: ["-e", "console.log('secret'); console.error('log in first'); process.exit(3)", "client-secret"],
    installHint: "See the wiki.",
    env: {},
    apiVersion: "client.authentication.k8s.io/v1",
  };
  await using transport = transportTo({ server: "http://127.0.0.1:1", exec });
  await assert.rejects(transport(get("/api")), (error: Error) => {
    assert.match(error.message, /credential program \S+ failed: exit code 3: log in first\. See the wiki\.$/);
    return true;
  });
});

test("a credential program that is not there is named with how to get it", async () => {
  const exec = { command: "no-such-login", args: [], env: {}, apiVersion: "v1", installHint: "Install it." };
  await using transport = transportTo({ server: "http://127.0.0.1:1", exec });
  await assert.rejects(
    transport(get("/api")),
    /credential program no-such-login failed: there is no such program\. Install it\.$/,
  );
});

test("of many that wait for the next credential, one asks", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-exec-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const asked = join(folder, "asked");
  await using api = await server((_request, response) => void response.writeHead(200).end("{}"));
  const expired = {
    kind: "ExecCredential",
    status: { token: "t", expirationTimestamp: "2020-01-01T00:00:00Z" },
  };
  const script = `require("fs").appendFileSync(${JSON.stringify(asked)}, "x"); console.log(${JSON.stringify(JSON.stringify(expired))})`;
  const exec = { command: process.execPath, args: ["-e", script], env: {}, apiVersion: "v1" };
  await using transport = transportTo({ server: api.url, exec });
  await transport(get("/api"));
  await Promise.all(Array.from({ length: 5 }, () => transport(get("/api"))));
  assert.equal(await readFile(asked, "utf8"), "xx");
});
