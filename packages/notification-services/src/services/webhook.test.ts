import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService } from "../create-service.ts";
import { EntryError, type ServiceRequest } from "../service.ts";

const clock = realClock;
const { signal } = new AbortController();

function open(config: unknown, more: Partial<ServiceRequest> = {}) {
  return createService({ type: "webhook", name: "hook", config, clock, ...more });
}

test("a message goes by GET, a template's part by its method to its path", async () => {
  const calls: Call[] = [];
  await using server = await startStore((call) => {
    calls.push(call);
    return [204, ""];
  });
  const headers = [
    { name: "X-Kind", value: "deploy" },
    { name: "Host", value: "elsewhere.example" },
  ];
  const basicAuth = { username: "u", password: 5678 };
  const service = open({ URL: `${server.address}/base/`, headers, basicAuth, maxIdleConns: 2, retries: 1 });
  assert.deepEqual(service.warnings, [
    "retries is not a field that this version knows",
    "maxIdleConns has no effect: no connection is kept",
    "headers: Host has no effect: it is the connection's own",
  ]);
  await service.send({ message: "hello" }, "", { signal });
  const part = { method: "PUT", body: "body", path: "//a?b=c" };
  await service.send({ message: "hello", webhook: { hook: part, other: part } }, "", { signal });
  const shown = calls.map(({ method, url, text, headers: { authorization, "x-kind": kind, host } }) => {
    assert.equal(`http://${host}`, server.address);
    return [method, url.pathname + url.search, text, authorization, kind];
  });
  const auth = `Basic ${Buffer.from("u:5678").toString("base64")}`;
  assert.deepEqual(shown, [
    ["GET", "/base/", "hello", auth, "deploy"],
    ["PUT", "/base/a?b=c", "body", auth, "deploy"],
  ]);
});

test("a busy server is asked again, others are not, and a failure shows no secret", async () => {
  const statuses = [429, 503, 200];
  const said = "no hook topsecret-1, nor topsecret-2 ".padEnd(192, "!");
  await using server = await startStore(() => [statuses.shift() ?? 400, Buffer.from(`${said}topsecret-3`)]);
  const config = {
    url: `${server.address}/hooks/topsecret-1?key=topsecret-3`,
    headers: [{ name: "Authorization", value: "Bearer topsecret-2" }],
    retryWaitMin: "1ms",
    retryWaitMax: 1_000_000,
  };
  await open(config).send({}, "", { signal });
  assert.equal(server.asked.length, 3);
  const failed = await open(config)
    .send({}, "room", { signal })
    .then(() => "sent", String);
  assert.equal(server.asked.length, 4);
  assert.match(failed, /^SendError: hook to room: HTTP status 400: no hook \*\*\*, nor \*\*\* !+\*\*\*$/);
});

test("after the last attempt the status of the answer is told", async () => {
  await using server = await startStore(() => [500, "down"]);
  const service = open({ url: server.address, retryMax: 1, retryWaitMin: 1 });
  await assert.rejects(service.send({}, "", { signal }), /^SendError: hook: HTTP status 500: "down"$/);
  assert.equal(server.asked.length, 2);
});

test("a tenant's webhook does not lead to this machine, nor waits for another attempt", async () => {
  await using server = await startStore(() => [200, ""]);
  const service = open({ url: server.address }, { guarded: true });
  await assert.rejects(service.send({}, "", { signal }), /is not followed/);
  assert.deepEqual(server.asked, []);
});

test("who waits no longer is not kept waiting between two attempts", async () => {
  const abort = new AbortController();
  await using server = await startStore(() => {
    abort.abort(new Error("enough"));
    return [500, ""];
  });
  const service = open({ url: server.address, retryWaitMin: "1h", retryWaitMax: "1h" });
  await assert.rejects(service.send({}, "", { signal: abort.signal }), /^Error: enough$/);
});

test("what lacks or is of the wrong kind is named", () => {
  const problems = (config: unknown) => {
    try {
      open(config);
    } catch (error) {
      assert.ok(error instanceof EntryError);
      return error.message;
    }
    return undefined;
  };
  assert.equal(problems(null), "service.webhook.hook: url is required but missing");
  assert.equal(
    problems({ url: "http://x", headers: [{ value: "x" }], basicAuth: [] }),
    "service.webhook.hook: headers[0].name is required but missing; basicAuth must be an object, not a list",
  );
  assert.match(
    problems({ url: "ftp://x", retryWaitMin: "soon", retryMax: -1 }) ?? "",
    /retryWaitMin is no duration.*retryMax must be at least 0.*url is no address of HTTP/,
  );
  assert.throws(
    () => createService({ type: "slak", config: {}, clock }),
    /there is no service slak; did you mean slack\?/,
  );
});
