import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { type WebSocket, WebSocketServer } from "ws";
import { createKubeClient } from "../client/kube-client.ts";
import { KubeError } from "../client/kube-error.ts";
import { httpTransport } from "../transport/http-transport.ts";
import { startInPod } from "./pod-process.ts";

const limit = () => AbortSignal.timeout(20_000);
const failure = (more: object) =>
  JSON.stringify({ kind: "Status", status: "Failure", message: "no", ...more });
const toError = (text: string) => Buffer.concat([Buffer.from([3]), Buffer.from(text)]);

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly protocols: string | undefined;
}

/** A cluster's API server that speaks the channels of exec (KEP-4006), as `play` says. */
async function cluster(t: TestContext, play: (socket: WebSocket) => void, protocol = "v5.channel.k8s.io") {
  const asked: Asked[] = [];
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, socket, head) => {
    const { authorization, "sec-websocket-protocol": protocols } = request.headers;
    asked.push({ url: request.url, authorization, protocols });
    if (request.url?.includes("/pods/refused/")) {
      const body = failure({ reason: "Forbidden", code: 403, message: "may not exec" });
      socket.end(`HTTP/1.1 403 x\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    } else sockets.handleUpgrade(request, socket, head, play);
  });
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const transport = httpTransport({ server: url, bearerToken: "secret" }, { clock: realClock });
  t.after(async () => {
    for (const one of sockets.clients) one.terminate();
    server.close();
    await transport[Symbol.asyncDispose]();
  });
  const client = createKubeClient({ transport, userAgent: "test", clock: realClock });
  const start = (name = "web", signal = limit()) =>
    startInPod(client, { namespace: "team a", name }, { container: "main", command: ["sh", "-l"], signal });
  return { asked, start };
}

async function read(output: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of output) text += Buffer.from(bytes).toString();
  return text;
}

test("a process is asked for by name, typed into, resized, read and told how it ended", async (t) => {
  const heard: string[] = [];
  const { asked, start } = await cluster(t, (socket) => {
    socket.send(Buffer.from([1]));
    socket.on("message", (data: Buffer) => {
      heard.push(`${data[0]} ${data.subarray(1)}`);
      if (data[0] !== 0) return;
      socket.send(Buffer.concat([Buffer.from([1]), Buffer.from("out "), data.subarray(1)]));
      socket.send(Buffer.concat([Buffer.from([2]), Buffer.from("err")]));
      const causes = [{ reason: "ExitCode", message: "3" }];
      socket.send(toError(failure({ reason: "NonZeroExitCode", details: { causes } })));
    });
  });
  await using process = await start();
  process.resize({ columns: 90, rows: 30 });
  await process.write(Buffer.from("hi\n"));
  assert.equal(await read(process.output), "out hi\nerr");
  assert.deepEqual(await process.ended, { exitCode: 3, message: "no" });
  assert.deepEqual(heard, ['4 {"Width":90,"Height":30}', "0 hi\n"]);
  const query = "container=main&stdin=true&stdout=true&tty=true&command=sh&command=-l";
  assert.deepEqual(asked, [
    {
      url: `/api/v1/namespaces/team%20a/pods/web/exec?${query}`,
      authorization: "Bearer secret",
      protocols: "v5.channel.k8s.io,v4.channel.k8s.io",
    },
  ]);
});

test("v4 is spoken as well; success is 0, and what did not begin has no exit code", async (t) => {
  const ends = [JSON.stringify({ status: "Success" }), failure({ reason: "InternalError" }), "{"];
  const { start } = await cluster(
    t,
    (socket) => socket.send(toError(ends.shift() ?? "")),
    "v4.channel.k8s.io",
  );
  const codes: (number | undefined)[] = [];
  for (let index = 0; index < 3; index += 1) {
    await using process = await start();
    codes.push((await process.ended).exitCode);
  }
  assert.deepEqual(codes, [0, undefined, undefined]);
});

test("a refusal is that of the cluster, and a connection that is lost an end", async (t) => {
  const { start } = await cluster(t, (socket) => socket.terminate());
  await assert.rejects(
    start("refused"),
    (error) => error instanceof KubeError && error.code === 403 && error.message === "may not exec",
  );
  await using process = await start();
  assert.match((await process.ended).message, /lost/);
  assert.equal(await read(process.output), "");
});

test("what nobody reads is not read ahead, and who leaves ends the process", async (t) => {
  let left = false;
  let waiting = 0;
  const { start } = await cluster(t, (socket) => {
    socket.once("close", () => {
      left = true;
    });
    const piece = Buffer.concat([Buffer.from([1]), Buffer.alloc(64 * 1024)]);
    const more = () => {
      if (socket.readyState !== socket.OPEN) return;
      waiting = socket.bufferedAmount;
      if (waiting < 64 * 1024 * 1024) socket.send(piece);
      setImmediate(more);
    };
    more();
  });
  const leaving = new AbortController();
  const process = await start("web", leaving.signal);
  while (waiting < 16 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 5));
  leaving.abort(new Error("enough"));
  await process.ended;
  while (!left) await new Promise((resolve) => setTimeout(resolve, 5));
});
