/** What a tenant, a viewer and a page of another site make of shells in Pods. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { eventually } from "@capstan/testkit";
import { WebSocket } from "ws";
import type { Attack, AttackWorld } from "../attack.ts";
import { browserCookie, sessionToken } from "../browser-cookie.ts";
import { socketStatus } from "../socket-status.ts";

const limit = () => AbortSignal.timeout(60_000);
const inCluster = "https://kubernetes.default.svc";

interface Asked {
  readonly who?: "alice" | "bob" | "carol";
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

function connect(world: AttackWorld, { query, headers }: Omit<Asked, "who">): WebSocket {
  const good = {
    ...{ pod: "shell-team", container: "main", appName: "shell-team", appNamespace: "argocd" },
    ...{ projectName: "team", namespace: "team-a" },
  };
  const address = `${world.at.url.replace(/^http/, "ws")}/terminal?${new URLSearchParams({ ...good, ...query })}`;
  return new WebSocket(address, {
    headers: { origin: world.at.url, ...headers },
    handshakeTimeout: 20_000,
  });
}

/** Status of the refusal; 101 where a terminal opened. */
async function open(world: AttackWorld, { who = "alice", query = {}, headers }: Asked): Promise<number> {
  const cookie = await browserCookie(world, who);
  return socketStatus(connect(world, { query, headers: { cookie, ...headers } }));
}

/** One after the other: there are a few Pods. */
let turn: Promise<unknown> = Promise.resolve();

function onStage(play: (world: AttackWorld) => Promise<void>): Attack["play"] {
  return async (world) => {
    const before = turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    await before;
    try {
      await prepare(world);
      await eventually(async () => ((await open(world, {})) === 101 ? true : undefined), {
        signal: limit(),
        describe: () => "alice's own terminal does not open",
      });
      await play(world);
    } finally {
      await tidy(world);
      resolve();
    }
    await world.assertUnharmed([]);
  };
}

const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application" } as const;
const pod = { apiVersion: "v1", kind: "Pod" } as const;

async function prepare({ capstan: { kube } }: AttackWorld): Promise<void> {
  const options = { fieldManager: "terminals", force: true, signal: limit() };
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  await kube.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "exec.enabled": "true" } },
    options,
  );
  for (const project of ["team", "rival"]) {
    const source = { repoURL: "https://git.invalid/x", path: "." };
    const name = `shell-${project}`;
    const destination = { server: inCluster, namespace: `${project}-a` };
    // Its status claims the other's Pod.
    const other = project === "team" ? "rival" : "team";
    const claimed = { version: "v1", kind: "Pod", namespace: `${other}-a`, name: `shell-${other}` };
    await kube.apply(
      {
        ...application,
        metadata: { name, namespace: "argocd" },
        spec: { project, source, destination },
        status: { resources: [claimed] },
      },
      options,
    );
    const annotations = { "argocd.argoproj.io/tracking-id": `${name}:/Pod:${project}-a/${name}` };
    const spec = { containers: [{ name: "main", image: "x" }] };
    await kube.apply({ ...pod, metadata: { name, namespace: `${project}-a`, annotations }, spec }, options);
  }
}

async function tidy({ capstan: { kube } }: AttackWorld): Promise<void> {
  const signal = limit();
  for (const project of ["team", "rival"]) {
    await kube.delete({ ...application, namespace: "argocd", name: `shell-${project}` }, { signal });
    const ref = { ...pod, namespace: `${project}-a`, name: `shell-${project}` };
    await kube.delete(ref, { signal, gracePeriodSeconds: 0 });
  }
}

const judged =
  "the application, the right exec on it and its project's rules are judged, and the Pod must be of its live tree";

export const attacks: readonly Attack[] = [
  {
    id: "terminals/pod-of-another-application",
    threat:
      "A tenant opens a shell in another tenant's Pod: by its name, by a claim of his status, or by the other's application",
    heldBy: judged,
    play: onStage(async (world) => {
      const rival = { pod: "shell-rival", namespace: "rival-a" };
      assert.equal(await open(world, { query: rival }), 400);
      assert.equal(await open(world, { query: { ...rival, appName: "shell-rival" } }), 404);
      const whole = { ...rival, appName: "shell-rival", projectName: "rival" };
      assert.equal(await open(world, { query: whole }), 401);
      assert.equal(await open(world, { query: { ...whole, appNamespace: "rival-a" } }), 403);
      for (const path of ["../../rival-a/pods/shell-rival", "shell-team/../shell-rival", "shell-team%2f"])
        assert.equal(await open(world, { query: { pod: path } }), 400, path);
    }),
  },
  {
    id: "terminals/by-a-viewer",
    threat: "An account that may see an application, and sync it, opens a shell in its Pod",
    heldBy: "a terminal needs the right exec, create beside that to see the application",
    play: onStage(async (world) => {
      assert.equal(await open(world, { who: "carol" }), 401);
      assert.equal(await open(world, { who: "bob" }), 401);
      assert.equal(await open(world, { headers: { cookie: "" } }), 400);
      assert.equal(await open(world, { headers: { cookie: "argocd.token=a.b.c" } }), 401);
    }),
  },
  {
    id: "terminals/from-a-page-of-another-site",
    threat:
      "A page of another site opens a shell with the cookie of whoever looks at it (websockets know no CORS)",
    heldBy: "Origin must be the address that was asked for, or one that is listed; Host too",
    advisories: ["CVE-2024-22424"],
    play: onStage(async (world) => {
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
        { host: "evil.example", origin: "http://evil.example" },
      ])
        assert.equal(await open(world, { headers }), 403, JSON.stringify(headers));
    }),
  },
  {
    id: "terminals/session-of-a-page-without-its-page",
    threat:
      "Another port of this host, to which browsers send the cookie too, opens a shell with a page's session",
    heldBy:
      "a session that a page began counts with the page's secret alone, which a websocket shows as a protocol",
    play: onStage(async (world) => {
      const page = "0123456789abcdef";
      const cookie = `argocd.token=${await sessionToken(world, "alice", { "x-capstan-page": page })}`;
      assert.equal(await open(world, { headers: { cookie } }), 401);
      const shown = { cookie, "sec-websocket-protocol": `capstan.page.${page}` };
      assert.equal(await open(world, { headers: { ...shown, origin: "https://evil.example" } }), 403);
      assert.equal(await open(world, { headers: shown }), 101);
    }),
  },
  {
    id: "terminals/after-the-session",
    threat: "Whoever has an open terminal goes on in it after the session was ended",
    heldBy: "token and rights are looked at again with what is typed, and every five seconds",
    advisories: ["CVE-2023-40025"],
    play: onStage(async (world) => {
      const token = await sessionToken(world, "alice", {});
      const socket = connect(world, { headers: { cookie: `argocd.token=${token}` } });
      const got: string[] = [];
      socket.on("message", (data) => got.push(String(data)));
      await once(socket, "open", { signal: limit() });
      const closed = once(socket, "close", { signal: limit() });
      const ended = await world.ask("nobody", "DELETE /api/v1/session", {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(ended.status, 200);
      await closed;
      assert.equal(got.at(-1), '{"Code":1}');
    }),
  },
  {
    id: "terminals/archives-into-a-pod",
    threat: "A tenant unpacks in a simulated Pod what climbs out of its folder, is deep, or never ends",
    heldBy:
      "files of a simulated container are names in memory, each folder of a path has its price, and 8 MiB is all",
    play: onStage(async (world) => {
      for (const name of ["../../../../etc/passwd", "d/".repeat(45), "x".repeat(99)])
        await unpackInPod(world, tarHeader(name, "77777777777"));
      assert.equal(await open(world, {}), 101);
    }),
  },
];

/** A header of ustar in ASCII alone: a terminal sends text. */
function tarHeader(name: string, size: string): string {
  const fields = [
    name.padEnd(100, "\0"),
    "0000644\0",
    "0000000\0",
    "0000000\0",
    `${size}\0`,
    "00000000000\0",
  ];
  const before = fields.join("");
  const after = "0".padEnd(101, "\0") + "ustar\x0000".padEnd(255, "\0");
  const sum = Buffer.from(`${before}        ${after}`).reduce((total, byte) => total + byte, 0);
  return `${before}${sum.toString(8).padStart(6, "0")}\0 ${after}`;
}

async function unpackInPod(world: AttackWorld, header: string): Promise<void> {
  const socket = connect(world, { headers: { cookie: await browserCookie(world, "alice") } });
  const type = (text: string): void => socket.send(JSON.stringify({ operation: "stdin", data: text }));
  let printed = "";
  socket.on("message", (data) => {
    printed += JSON.parse(String(data)).data ?? "";
  });
  await once(socket, "open", { signal: limit() });
  const says = (text: string) =>
    eventually(async () => (printed.includes(text) ? true : undefined), {
      signal: limit(),
      describe: () => `says not "${text}": ${printed}`,
    });
  await says("simulated:#");
  type("tar xf -\r");
  type(header.repeat(16));
  for (let piece = 0; piece < 20; piece += 1) type("\0".repeat(5_120));
  await says("No space left on device");
  const closed = once(socket, "close", { signal: limit() });
  socket.close();
  await closed;
}
