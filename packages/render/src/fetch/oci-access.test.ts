import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { failsWith, noSignal, realClock } from "@capstan/testkit/render-world";
import { openOci } from "./oci-access.ts";
import { ociArchive, ociVersions } from "./oci-charts.ts";

const archive = Buffer.from("a packed chart");
const digest = `sha256:${hash("sha256", archive, "hex")}`;
const manifest = (layer: string) =>
  JSON.stringify({
    config: { mediaType: "application/vnd.cncf.helm.config.v1+json" },
    layers: [{ mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", digest: layer, size: 1 }],
  });

/** A registry that gives tokens for a password, pages of tags, and blobs from another host. */
async function startRegistry() {
  const asked: { host: string; url: string; authorization: string | undefined }[] = [];
  const note = (request: IncomingMessage) =>
    void asked.push({
      host: request.headers.host ?? "",
      url: request.url ?? "",
      authorization: request.headers.authorization,
    });
  const storage = createServer((request, response) => {
    note(request);
    response.end(archive);
  }).listen(0, "127.0.0.1");
  await once(storage, "listening");
  const server = createServer((request, response) => {
    note(request);
    const url = request.url ?? "";
    if (url.startsWith("/token")) {
      const isAda = request.headers.authorization === `Basic ${Buffer.from("ada:secret").toString("base64")}`;
      response.writeHead(isAda ? 200 : 401).end(JSON.stringify({ token: "t0ken" }));
    } else if (request.headers.authorization !== "Bearer t0ken") {
      const challenge = `Bearer realm="${own()}/token",service="here",scope="repository:charts/web:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    } else if (url === "/v2/charts/web/tags/list?n=1000")
      response
        .writeHead(200, { link: '</v2/charts/web/tags/list?n=1000&last=1.0.0>; rel="next"' })
        .end(JSON.stringify({ tags: ["1.0.0"] }));
    else if (url.includes("last=")) response.end(JSON.stringify({ tags: ["1.1.0_build"] }));
    else if (url.endsWith("/manifests/1.1.0_build")) response.end(manifest(digest));
    else if (url.endsWith("/manifests/forged")) response.end(manifest(`sha256:${"0".repeat(64)}`));
    else if (url.includes("/blobs/")) response.writeHead(307, { location: portOf(storage) }).end();
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = () => portOf(server);
  return {
    asked,
    host: own().replace("http://", ""),
    [Symbol.asyncDispose]: async () => {
      for (const one of [server, storage]) one.closeAllConnections();
      for (const one of [server, storage]) one.close();
    },
  };
}

function portOf(server: ReturnType<typeof createServer>): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

test("a chart of a registry with tokens: tags page by page, its blob from another host without the token", async () => {
  await using registry = await startRegistry();
  const repository = { url: `oci://${registry.host}/charts`, username: "ada", password: "secret" };
  const options = { repository, clock: realClock, signal: noSignal, timeoutMs: 60_000 };
  assert.deepEqual(
    (await ociVersions("web", options)).map(({ version }) => version),
    ["1.0.0", "1.1.0+build"],
  );
  const wanted = { chart: "web", version: "1.1.0+build", maxBytes: 1_000 };
  assert.deepEqual(await ociArchive(wanted, options), archive);
  const elsewhere = registry.asked.filter(({ host }) => host !== registry.host);
  assert.deepEqual(
    elsewhere.map(({ authorization }) => authorization),
    [undefined],
  );
  await assert.rejects(
    ociArchive({ ...wanted, version: "forged" }, options),
    failsWith({ code: "FAILED_PRECONDITION" }, /has another digest/),
  );
  await assert.rejects(
    ociVersions("web", { ...options, repository: { ...repository, password: "wrong" } }),
    failsWith({ code: "REPOSITORY_AUTH" }),
  );
  await assert.rejects(
    ociArchive({ ...wanted, version: "9" }, options),
    failsWith({ code: "REPOSITORY_MISSING" }),
  );
  await assert.rejects(ociVersions("absent", options), /no repository at \S+\/absent, or/);
});

test("neither a realm on another host nor a host to which a redirect leads gets the password", async (t) => {
  const seen: (string | undefined)[] = [];
  const start = async (answer: Parameters<typeof createServer>[1]) => {
    const server = createServer(answer ?? (() => undefined)).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return portOf(server);
  };
  const thief: string = await start((request, response) => {
    seen.push(request.headers.authorization);
    const challenge = `Bearer realm="${thief}/token"`;
    if (request.url === "/token") response.end('{"token": "t"}');
    else response.writeHead(401, { "www-authenticate": challenge }).end();
  });
  const lured = await start((_request, response) =>
    response.writeHead(401, { "www-authenticate": `Bearer realm="${thief}/token"` }).end(),
  );
  const led = await start((request, response) =>
    response.writeHead(307, { location: `${thief}${request.url}` }).end(),
  );
  const tagsOf = (base: string) => {
    const repository = { url: base.replace("http", "oci"), username: "ada", password: "secret" };
    const options = { repository, clock: realClock, signal: noSignal, timeoutMs: 60_000 };
    return openOci("charts/web", options).tags();
  };
  await assert.rejects(tagsOf(lured), /password is not sent there/);
  await assert.rejects(tagsOf(led), failsWith({ code: "REPOSITORY_AUTH" }));
  assert.deepEqual(seen, [undefined]);
});
