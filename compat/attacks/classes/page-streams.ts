/** The connection over which the page follows everything: opened and used by whoever may not. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Attack, AttackWorld } from "../attack.ts";
import { browserCookie, sessionToken } from "../browser-cookie.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { socketStatus } from "../socket-status.ts";

const limit = () => AbortSignal.timeout(60_000);
const page = "0123456789abcdef";

type Headers = Readonly<Record<string, string>>;

function connect(world: AttackWorld, headers: Headers): WebSocket {
  return new WebSocket(`${world.at.url.replace(/^http/, "ws")}/api/v1/streams`, {
    headers: { origin: world.at.url, ...headers },
    handshakeTimeout: 20_000,
  });
}

const statusOf = (world: AttackWorld, headers: Headers): Promise<number> =>
  socketStatus(connect(world, headers));

/** What comes of these addresses: for each its last frame, all as one text. */
async function framesOf(world: AttackWorld, cookie: string, urls: readonly string[]): Promise<string> {
  const socket = connect(world, { cookie });
  const got: string[] = [];
  const ended = new Set<number>();
  const done = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    got.push(String(data));
    const { id, error, ended: isOver } = JSON.parse(String(data) || "{}");
    if (error || isOver) ended.add(id);
    if (ended.size === urls.length) done.resolve();
  });
  socket.once("close", () => done.reject(new Error("the connection was closed")));
  await once(socket, "open", { signal: limit() });
  for (const [open, url] of urls.entries()) socket.send(JSON.stringify({ open, url }));
  limit().addEventListener("abort", () => done.reject(new Error(`not all ended: ${got.join(" ")}`)));
  await done.promise;
  socket.terminate();
  return got.join("\n");
}

export const attacks: readonly Attack[] = [
  {
    id: "page-streams/by-another-site",
    threat:
      "A page of another site, or without the session's page, opens the connection of the page's streams",
    heldBy: "Origin and Host as for any call; a page's session counts with the page's secret alone",
    advisories: ["CVE-2024-22424"],
    play: async (world) => {
      const cookie = await browserCookie(world, "bob");
      assert.equal(await statusOf(world, { cookie }), 101);
      assert.equal(await statusOf(world, {}), 401);
      for (const headers of [
        { cookie, origin: "https://evil.example" },
        { cookie, origin: "null" },
        { cookie, host: "evil.example", origin: "http://evil.example" },
      ])
        assert.equal(await statusOf(world, headers), 403, JSON.stringify(headers));
      const bound = `argocd.token=${await sessionToken(world, "bob", { "x-capstan-page": page })}`;
      assert.equal(await statusOf(world, { cookie: bound }), 401);
      assert.equal(
        await statusOf(world, { cookie: bound, "sec-websocket-protocol": `capstan.page.${page}` }),
        101,
      );
    },
  },
  {
    id: "page-streams/foreign-ones",
    threat:
      "An account asks over its page's connection for foreign trees and logs, for calls that are no streams, and for rows of all",
    heldBy: "each is the call that it also is by itself, with the same rights and words",
    play: async (world) => {
      await deploys("streamed-tree", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const of = (name: string) => [
        `/api/v1/stream/applications/${name}/resource-tree/changes`,
        `/api/v1/stream/applications/${name}/resource-tree?appNamespace=argocd&project=team`,
        `/api/v1/applications/${name}/logs?podName=x&namespace=team-${name}`,
      ];
      const cookie = await browserCookie(world, "bob");
      const [there = "", absent = ""] = await Promise.all(
        ["streamed-tree", "absent-tree"].map(async (name) =>
          (await framesOf(world, cookie, of(name))).replaceAll(name, "…"),
        ),
      );
      assert.deepEqual(there.split("\n").sort(), absent.split("\n").sort());
      const others = await framesOf(world, cookie, [
        ...["/api/v1/applications", "/api/v1/session", "/terminal", "/api/v1/streams", "/extensions/x/y"],
        ...["//evil.example/api/v1/stream/applications", "/api/v1/stream/applications/../session", ""],
        "/api/v1/stream/application-rows?resourceVersion=1",
      ]);
      assert.equal(others.match(/"http_code":404/g)?.length, 8, others);
      const { body } = await world.ask("bob", "GET /api/v1/application-rows");
      assert.ok(!JSON.stringify(body).includes("streamed-tree"), JSON.stringify(body));
      await world.assertUnharmed([there, others, JSON.stringify(body)]);
    },
  },
  {
    id: "page-streams/without-end",
    threat:
      "A page asks over one connection for thousands of streams, for the same one twice, or sends what cannot be read",
    heldBy:
      "256 at a time of one connection, which ends with twice as many asked at once and with what cannot be read; messages have 16 KB",
    play: async (world) => {
      const cookie = await browserCookie(world, "bob");
      const socket = connect(world, { cookie });
      let refused = 0;
      const all = Promise.withResolvers<void>();
      socket.on("message", (data) => {
        if (/"http_code":429/.test(String(data)) && ++refused === 500 - 256) all.resolve();
      });
      await once(socket, "open", { signal: limit() });
      for (let open = 0; open < 500; open += 1)
        socket.send(JSON.stringify({ open, url: "/api/v1/stream/applications" }));
      limit().addEventListener("abort", () => all.reject(new Error(`${refused} were refused`)));
      await all.promise;
      // Refusals that nobody reads are kept for nobody either.
      const sentAway = once(socket, "close", { signal: limit() });
      for (let open = 500; open < 20_000; open += 1)
        socket.send(JSON.stringify({ open, url: "/api/v1/stream/applications" }));
      const [code] = await sentAway;
      assert.equal(code, 1008);
      for (const text of [
        '{"open":0,"url":"/"}{',
        "[]",
        '{"close":"1"}',
        '{"open":1.5,"url":"/"}',
        "x".repeat(20_000),
      ]) {
        const other = connect(world, { cookie });
        other.on("error", () => undefined);
        const closed = once(other, "close", { signal: limit() });
        await once(other, "open", { signal: limit() });
        other.send(text);
        await closed;
      }
      await world.assertUnharmed([]);
    },
  },
  {
    id: "page-streams/after-the-session",
    threat: "Whoever has the connection open goes on to be told of everything after the session was ended",
    heldBy: "the token is looked at again with each stream that is asked for, and every fifteen seconds",
    advisories: ["CVE-2023-40025"],
    play: async (world) => {
      const token = await sessionToken(world, "bob");
      const socket = connect(world, { cookie: `argocd.token=${token}` });
      await once(socket, "open", { signal: limit() });
      const authorization = `Bearer ${token}`;
      const ended = await world.ask("nobody", "DELETE /api/v1/session", { headers: { authorization } });
      assert.equal(ended.status, 200);
      const said: string[] = [];
      socket.on("message", (data) => said.push(String(data)));
      const closed = once(socket, "close", { signal: limit() });
      socket.send(JSON.stringify({ open: 1, url: "/api/v1/stream/applications" }));
      await closed;
      // The look of every fifteen seconds may come before the answer, and ends all.
      for (const text of said) assert.match(text, /"http_code":401/);
    },
  },
];
