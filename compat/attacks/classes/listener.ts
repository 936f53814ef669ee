/** What pages of other sites, strangers and slow callers try at the listener. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { RpcClient } from "@capstan/testkit";
import { passwords } from "../accounts.ts";
import type { Attack, AttackWorld } from "../attack.ts";
import { type RawRequest, sendRaw } from "../raw-request.ts";
import { asks } from "../request.ts";

const forged = JSON.stringify({ metadata: { name: "forged" }, spec: { project: "team" } });

/** With the cookie of the admin, as his browser sends it along; every one must be refused. */
function withCookie(
  requests: (at: AttackWorld["at"]) => readonly RawRequest[],
  status: number,
): Attack["play"] {
  return async (world) => {
    const answers: string[] = [];
    for (const one of requests(world.at)) {
      const headers = { cookie: `argocd.token=${await adminToken(world)}`, ...one.headers };
      const answer = await sendRaw(world.at, { ...one, headers });
      assert.equal(answer.status, status, `${one.path} ${JSON.stringify(one.headers)}: ${answer.text}`);
      answers.push(answer.text);
    }
    const made = await world.ask("admin", "GET /api/v1/applications/forged");
    assert.equal(made.status, 404);
    await world.assertUnharmed(answers);
  };
}

const tokens = new WeakMap<AttackWorld, string>();

/** One login: the throttle is for others. */
async function adminToken(world: AttackWorld): Promise<string> {
  const known = tokens.get(world);
  if (known !== undefined) return known;
  const { readFile } = await import("node:fs/promises");
  const password = (await readFile(`${world.at.dataDir}/admin-password`, "utf8")).trim();
  const body = { username: "admin", password };
  const answer = await world.ask("nobody", "POST /api/v1/session", { body });
  const token = /"token":"([^"]+)"/.exec(JSON.stringify(answer.body))?.[1] ?? "";
  tokens.set(world, token);
  return token;
}

const csrf =
  "what a request may is judged after routing, by the route's own declaration: a change needs JSON";
const names = "Host must be an address, a loopback name or one that is listed";
const origins = "Origin must be the address that was asked for, or one that is listed; Sec-Fetch-Site counts";
const applications = "/api/v1/applications";

/** The connection is closed on whoever goes on to send: his own system may tell him that before the answer. */
function refusedWhileSending(error: unknown): undefined {
  const cause = error instanceof Error ? String(error.cause) : "";
  if (!/EPIPE|ECONNRESET/.test(cause)) throw error;
}

export const attacks: readonly Attack[] = [
  {
    id: "listener/form-at-an-encoded-address",
    threat: "A form of another site makes an application, its address written with %61 for a",
    heldBy: csrf,
    advisories: ["CVE-2024-22424"],
    play: withCookie(
      () =>
        ["/%61pi/v1/applications", "/api/v1/%61pplications", "/api/%76%31/applications"].map((path) => ({
          method: "POST",
          path,
          headers: { "content-type": "text/plain" },
          body: forged,
        })),
      415,
    ),
  },
  {
    id: "listener/form-of-another-site",
    threat: "A form of another site changes something with the cookie of whoever opens the page",
    heldBy: csrf,
    advisories: ["CVE-2024-22424"],
    play: withCookie(
      () =>
        ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""].map(
          (type): RawRequest => ({
            method: "POST",
            path: applications,
            headers: type ? { "content-type": type } : {},
            body: forged,
          }),
        ),
      415,
    ),
  },
  {
    id: "listener/name-that-leads-here",
    threat:
      "A page of another site makes its own name point to this machine and reads the API (DNS rebinding)",
    heldBy: names,
    play: withCookie(
      () =>
        [applications, "/", "/api/v1/settings", "/metrics"].flatMap((path) =>
          ["evil.example", "127.0.0.1.evil.example:8080", "localhost.evil.example"].map((host) => ({
            path,
            headers: { host, "x-forwarded-host": "localhost", origin: `http://${host}` },
          })),
        ),
      403,
    ),
  },
  {
    id: "listener/page-of-another-port",
    threat: "A page of another port of this machine, or of a sandboxed frame, calls the API with the cookie",
    heldBy: origins,
    advisories: ["CVE-2024-22424"],
    play: withCookie(
      () =>
        [
          { origin: "http://127.0.0.1:1" },
          { origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
          { origin: "null" },
          { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "cross-site" },
        ].map((headers) => ({
          method: "POST",
          path: applications,
          headers: { "content-type": "application/json", ...headers },
          body: forged,
        })),
      403,
    ),
  },
  {
    id: "listener/metrics-of-everybody",
    threat: "Somebody without an account reads the names and repositories of all applications at /metrics",
    heldBy: "metrics need the right to see all applications, or a port of their own",
    play: asks({ who: "nobody", method: "GET", path: () => "/metrics", status: [401] }),
  },
  {
    id: "listener/metrics-of-other-projects",
    threat: "An account of one project reads the names of the others' applications at /metrics",
    heldBy: "metrics need the right to see all applications, or a port of their own",
    play: asks({ who: "alice", method: "GET", path: () => "/metrics", status: [403] }),
  },
  {
    id: "listener/large-body-of-a-stranger",
    threat: "Somebody without an account has large bodies read and parsed",
    heldBy: "the token is asked for before the body; each route declares how much of it is read",
    advisories: ["CVE-2024-21661"],
    play: async (world) => {
      const body = "x".repeat(4 * 1024 * 1024);
      const statuses = new Map([
        ["POST /api/v1/applications", 401],
        ["POST /api/v1/session", 413],
        ["POST /nothing", 413],
      ]);
      for (const [line, status] of statuses) {
        const answer = await world.ask("nobody", line, { body }).catch(refusedWhileSending);
        if (answer) assert.equal(answer.status, status, line);
      }
      await stillAnswers(world);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "listener/requests-asked-ahead",
    threat: "Thousands of requests are written to one connection without waiting for an answer",
    heldBy: "a connection has a few requests without an answer at most",
    play: async (world) => {
      const { hostname, port } = new URL(world.at.url);
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.write("GET /api/v1/applications HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(5000));
      const answers = await text(socket).catch(() => "");
      assert.ok(answers.split("HTTP/1.1 ").length < 100);
      await stillAnswers(world);
    },
  },
  {
    id: "listener/headers-without-an-end",
    threat: "Connections are held open by headers that come slowly and never end",
    heldBy: "headers must be there within 15 seconds, a whole request within 60",
    advisories: ["CVE-2007-6750"],
    play: async (world) => {
      const { hostname, port } = new URL(world.at.url);
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
      const drip = setInterval(() => socket.writable && socket.write("x"), 500);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const isClosed = await Promise.race([closed.then(() => true), sleep(150_000, false, { ref: false })]);
      clearInterval(drip);
      socket.destroy();
      assert.ok(isClosed, "the connection is still open");
      await stillAnswers(world);
    },
  },
  {
    id: "listener/selectors-without-an-end",
    threat: "An account asks with selectors and projections that take quadratic time",
    heldBy: "they are read in linear time, and up to a length and a number",
    play: async (world) => {
      const queries = [
        `selector=${"a,".repeat(3000)}`,
        `fields=${"a,".repeat(3000)}`,
        `fields=${"a.".repeat(3000)}`,
      ];
      for (const query of queries)
        assert.match(
          String((await world.ask("alice", `GET ${applications}?${query}`)).status),
          /^(400|429)$/,
        );
      await world.assertUnharmed([]);
    },
  },
  {
    id: "listener/file-outside-of-the-page",
    threat: "Somebody asks for a file outside of the page's folder by encoded dots",
    heldBy: "addresses are made plain below the folder before anything is opened",
    advisories: ["CVE-2022-24731"],
    play: async (world) => {
      const answers: string[] = [];
      for (const path of [
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%5c..%5cetc/passwd",
      ]) {
        const { text: body } = await sendRaw(world.at, { path, headers: { accept: "text/html" } });
        assert.ok(!body.includes("root:"));
        answers.push(body);
      }
      await world.assertUnharmed(answers);
    },
  },
  {
    id: "listener/values-without-number",
    threat: "An account sends messages of gRPC with ever more empty fields, each of which becomes an object",
    heldBy: "the values of a message are counted before any is made; 250,000 are read, as of a body of JSON",
    play: async (world) => {
      const { body } = await world.ask("nobody", "POST /api/v1/session", {
        body: { username: "alice", password: passwords.alice },
      });
      const { token } = body as { token: string };
      const sources = Array.from({ length: 400_000 }, () => ({}));
      const request = { application: { metadata: { name: "many" }, spec: { sources } } };
      const method = "application.ApplicationService/Create";
      for (const form of ["grpc", "web"] as const) {
        const client = new RpcClient(world.at.url, form);
        const signal = AbortSignal.timeout(100_000);
        const answer = JSON.stringify(await client.askOrRefusal({ method, request, token, signal }));
        assert.match(answer, /more than 250000 values/);
        await world.assertUnharmed([answer]);
      }
    },
  },
];

async function stillAnswers(world: AttackWorld): Promise<void> {
  assert.equal((await sendRaw(world.at, { path: "/healthz" })).status, 200);
  await world.assertUnharmed([]);
}
