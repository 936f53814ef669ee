import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { realClock as clock } from "@capstan/testkit/render-world";
import { httpGet } from "./http-get.ts";
import { proxyVariables } from "./repository-proxy.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);

test("a file of a repository with a proxy comes through it, one that no_proxy names does not", async (t) => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("from the proxy");
  });
  proxy.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 403 no\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => proxy.close());
  const address = proxy.address();
  const own = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const get = (url: string, noProxy?: string) =>
    httpGet(url, {
      repository: { url, proxy: own, ...(noProxy === undefined ? {} : { noProxy }) },
      ...{ clock, signal, timeoutMs: 20_000, maxBytes: 1_000 },
    });
  assert.equal(String(await get("http://charts.invalid/index.yaml")), "from the proxy");
  await assert.rejects(get("https://charts.invalid/index.yaml"));
  await assert.rejects(get("http://charts.invalid/", "charts.invalid"), /ENOTFOUND|EAI_AGAIN/);
  assert.deepEqual(asked, ["GET http://charts.invalid/index.yaml", "CONNECT charts.invalid:443"]);
});

test("a project's repository goes by no proxy of this machine", async () => {
  const url = "https://git.example/team/app.git";
  for (const proxy of [
    "http://127.0.0.1:3128",
    "http://169.254.169.254",
    "http://localhost:1",
    "127.0.0.1:8",
  ])
    await assert.rejects(proxyVariables({ url, proxy, project: "team" }), /which a repository of a project/);
  assert.deepEqual(await proxyVariables({ url, proxy: "http://127.0.0.1:3128" }), {
    http_proxy: "http://127.0.0.1:3128",
    https_proxy: "http://127.0.0.1:3128",
  });
});
