import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { createControlState, type LiveState } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { eventually, type LoopbackServer, realClock, startLoopbackServer } from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import { Registry } from "prom-client";
import { type NotificationController, startNotificationController } from "./notification-controller.ts";

const apiVersion = "argoproj.io/v1alpha1";
const [namespace, tenant] = ["argocd", "tenant"];
const notified = "notified.notifications.argoproj.io";
const limit = () => AbortSignal.timeout(60_000);

interface Received {
  readonly path: string;
  readonly body: string;
}

let world: SmallWorld;
let live: LiveState;
let receiver: LoopbackServer;
let controller: NotificationController;
let registry: Registry;
const received: Received[] = [];
const lines: string[] = [];
/** Applications that cannot be written now. */
const refusesPatchOf: string[] = [];
/** What the receiver does in place of taking a message, by path. */
const trouble = new Map<string, (response: ServerResponse) => void>();

before(async () => {
  receiver = await startLoopbackServer((request, response) => void take(request, response));
  world = await openSmallWorld({
    intercept: (request) =>
      request.method === "PATCH" &&
      refusesPatchOf.some((name) => request.url.endsWith(`/applications/${name}`))
        ? Promise.reject(new Error("the cluster is away"))
        : undefined,
  });
  await world.stopController();
  for (const name of [tenant])
    await world.kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal: limit() });
  await setMap("argocd-cmd-params-cm", { "application.namespaces": tenant });
  const quiet = { info: () => undefined, warn: () => undefined };
  live = createControlState({ client: world.kube, clock: realClock, log: quiet });
  await live.ready(limit());
  controller = start();
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await live[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const path = request.url ?? "";
  received.push({ path, body });
  const odd = trouble.get(path);
  if (odd) odd(response);
  else response.end();
}

function start(): NotificationController {
  registry = new Registry();
  const say = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const log = { info: () => undefined, warn: say, error: say };
  const { kube, settings, repo, clusters } = world;
  const shared = { kube, repo, clusters, settings, live, clock: realClock, log, namespace };
  return startNotificationController({ ...shared, metrics: registry });
}

async function setMap(name: string, data: Record<string, string>, where = namespace): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: where }, data };
  await world.kube.apply(object, { fieldManager: "test", force: true, signal: limit() });
}

const webhook = (path: string) =>
  `url: ${receiver.url}${path}\nretryMax: 1\nretryWaitMin: 1ms\nretryWaitMax: 1ms\n`;
const template = (text: string, name = "hook") =>
  `webhook:\n  ${name}:\n    method: POST\n    body: ${JSON.stringify(text)}\n`;
const trigger = (when: string, send: string, oncePer?: string) =>
  JSON.stringify([{ when, send: [send], ...(oncePer ? { oncePer } : {}) }]);

const settings = () => ({
  "service.webhook.hook": webhook("/hook"),
  "service.webhook.slow": webhook("/slow"),
  "service.webhook.bad": webhook("/bad"),
  "trigger.on-synced": trigger("app.status.sync.status == 'Synced'", "synced"),
  "trigger.once": trigger("app.status.sync.status == 'Synced'", "synced", "app.status.sync.revision"),
  "template.synced": template("{{.app.metadata.name}} {{.context.word}}"),
  context: "word: said",
});

async function addApp(
  name: string,
  annotations: Record<string, string>,
  { where = namespace, ...status }: { where?: string; [field: string]: unknown } = {},
): Promise<void> {
  const object: Manifest = {
    apiVersion,
    kind: "Application",
    metadata: { name, namespace: where, annotations },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/x", path: ".", targetRevision: "main" },
      destination: { name: "in-cluster", namespace: "x" },
    },
    status,
  };
  await world.kube.create(object, { signal: limit() });
}

const setStatus = (name: string, status: object) =>
  world.kube.patch(
    { apiVersion, kind: "Application", namespace, name },
    { type: "merge", body: { status } },
    { signal: limit() },
  );

const synced = (revision = "a") => ({ sync: { status: "Synced", revision } });
const outOfSync = { sync: { status: "OutOfSync", revision: "a" } };
const on = (trigger: string, service = "hook") => ({
  [`notifications.argoproj.io/subscribe.${trigger}.${service}`]: "",
});
const saidBy = (name: string) => received.filter(({ body }) => body.startsWith(`${name} `));

async function stateOf(name: string): Promise<Record<string, number>> {
  const app = await world.kube.get({ apiVersion, kind: "Application", namespace, name }, limit());
  return JSON.parse(app?.metadata.annotations?.[notified] ?? "{}");
}

const until = <T>(what: string, read: () => T | undefined | Promise<T | undefined>) =>
  eventually(async () => read(), {
    signal: limit(),
    describe: () => `${what}: ${JSON.stringify(received)} ${lines.join("\n")}`,
  });

test("a subscription's trigger makes one request, is remembered on the object, and is forgotten when it no longer holds", async () => {
  await setMap("argocd-notifications-cm", settings());
  await addApp("one", on("on-synced"), synced());
  const [first] = await until("a request", () => (saidBy("one").length > 0 ? saidBy("one") : undefined));
  assert.deepEqual(first, { path: "/hook", body: "one said" });
  const key = "on-synced:[0].y7b9sat2k_hFrcYzVDrSxCDG6pg:hook:";
  const state = await until("a state", async () => {
    const found = await stateOf("one");
    return Object.keys(found).length > 0 ? found : undefined;
  });
  assert.deepEqual(
    Object.keys(state).map((one) => one.replace(/\[0\]\.[\w-]{27}/, "[0].hash")),
    [key.replace(/\[0\]\.[\w-]{27}/, "[0].hash")],
  );
  await setStatus("one", { ...synced(), health: { status: "Healthy" } });
  await setStatus("one", outOfSync);
  await until("forgotten", async () => Object.keys(await stateOf("one")).length === 0 || undefined);
  assert.equal(saidBy("one").length, 1);
  await setStatus("one", synced());
  await until("a second request", () => saidBy("one").length === 2 || undefined);
});

test("what is told once for a revision is told again for another alone, also after a restart", async () => {
  await addApp("twice", on("once"), synced("r1"));
  await until("a request", () => saidBy("twice").length === 1 || undefined);
  await until("written", async () => Object.keys(await stateOf("twice")).length === 1 || undefined);
  await controller[Symbol.asyncDispose]();
  controller = start();
  await setStatus("twice", outOfSync);
  await setStatus("twice", synced("r1"));
  await setStatus("twice", synced("r2"));
  await until("a second request", () => saidBy("twice").length === 2 || undefined);
  const state = await until("both", async () => {
    const found = Object.keys(await stateOf("twice"));
    return found.length === 2 ? found : undefined;
  });
  assert.deepEqual(
    state.map((key) => key.split(":")[0]),
    ["r1", "r2"],
  );
});

test("a thread of Slack goes on after a restart", async () => {
  trouble.set("/slack/chat.postMessage", (response) =>
    response.end(JSON.stringify({ ok: true, ts: "1700000000.0001", channel: "C01" })),
  );
  const slack = { groupingKey: "{{.app.metadata.name}}" };
  await setMap("argocd-notifications-cm", {
    ...settings(),
    "service.slack": `token: xoxb-1\napiURL: ${receiver.url}/slack/\n`,
    "trigger.once": trigger("app.status.sync.status == 'Synced'", "talk", "app.status.sync.revision"),
    "template.talk": JSON.stringify({ message: "{{.app.status.sync.revision}}", slack }),
  });
  const talked = () =>
    received
      .filter(({ path }) => path.startsWith("/slack/"))
      .map(({ body }) => new URLSearchParams(body))
      .map((fields) => `${fields.get("text")} in ${fields.get("thread_ts")}`);
  const until = (count: number) =>
    eventually(async () => talked().length === count || undefined, {
      signal: limit(),
      describe: () => `${talked()} ${lines.join()}`,
    });
  await addApp("talk", { "notifications.argoproj.io/subscribe.once.slack": "room" }, synced("a"));
  await until(1);
  await eventually(async () => Object.keys(await stateOf("talk")).length === 1 || undefined, {
    signal: limit(),
    describe: () => "it is not noted",
  });
  await controller[Symbol.asyncDispose]();
  controller = start();
  await setStatus("talk", synced("b"));
  await until(2);
  assert.deepEqual(talked(), ["a in null", "b in 1700000000.0001"]);
});

test("a receiver that hangs, and one that fails, hold up nobody else", async () => {
  trouble.set("/slow", () => undefined);
  trouble.set("/bad", (response) => void response.writeHead(500).end());
  const many = Array.from({ length: 6 }, (_, index) => `stuck-${index}`);
  for (const name of many)
    await addApp(name, { ...on("on-synced", "slow"), ...on("on-synced", "bad") }, synced());
  await addApp("free", on("on-synced"), synced());
  await until("the free one", () => saidBy("free").length === 1 || undefined);
  await until(
    "a failure is said once",
    () => lines.some((line) => line.includes('"service":"bad"')) || undefined,
  );
  assert.deepEqual(await stateOf("stuck-0"), {});
  const text = await registry.metrics();
  assert.match(
    text,
    /argocd_notifications_deliveries_total\{trigger="on-synced",service="bad",succeeded="false"\} [1-9]/,
  );
  assert.match(text, /argocd_notifications_trigger_eval_total\{name="on-synced",triggered="true"\} [1-9]/);
});

test("what was sent and could not be written is not sent again while the process lives", async () => {
  refusesPatchOf.push("unwritten");
  await addApp("unwritten", on("on-synced"), synced());
  await until("a request", () => saidBy("unwritten").length === 1 || undefined);
  await until("it is said", () => lines.some((line) => line.includes("is not written yet")) || undefined);
  const change = { type: "merge", body: { status: { ...synced(), summary: { images: ["x"] } } } } as const;
  refusesPatchOf.length = 0;
  await world.kube.patch({ apiVersion, kind: "Application", namespace, name: "unwritten" }, change, {
    signal: limit(),
  });
  await until("written", async () => Object.keys(await stateOf("unwritten")).length === 1 || undefined);
  assert.equal(saidBy("unwritten").length, 1);
});

test("a setting that is broken leaves the others and what it said before in force", async () => {
  await setMap("argocd-notifications-cm", {
    ...settings(),
    "trigger.on-synced": "- when: (",
    "trigger.new": trigger("true", "synced"),
  });
  await until(
    "the problem is said",
    () => lines.some((line) => line.includes("trigger.on-synced: ")) || undefined,
  );
  await addApp("kept", { ...on("on-synced"), ...on("new") }, synced());
  await until("both", () => saidBy("kept").length === 2 || undefined);
});

describe("configurations of tenants", () => {
  const own = (text: string) => ({
    "service.webhook.own": `url: ${receiver.url}/own\nheaders: [{name: X-Key, value: $key}]\n`,
    "trigger.own": trigger("true", "own"),
    "template.own": template(text, "own"),
    subscriptions: "- recipients: [own]\n  triggers: [own]\n",
  });
  const setSecret = (where: string, key: string) =>
    world.kube.apply(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "argocd-notifications-secret", namespace: where },
        stringData: { key },
      },
      { fieldManager: "test", force: true, signal: limit() },
    );

  test("count for nobody while they are not meant to", async () => {
    await setMap("argocd-notifications-cm", own("{{.app.metadata.name}} own"), tenant);
    await setSecret(tenant, "tenants");
    await setSecret(namespace, "operators");
    await addApp("theirs", on("on-synced"), { ...synced(), where: tenant });
    await until("the operator's", () => saidBy("theirs").length === 1 || undefined);
    assert.deepEqual(
      saidBy("theirs").map(({ path }) => path),
      ["/hook"],
    );
  });

  test("count for their own namespace, may not reach this machine, and see no secret of the operator", async () => {
    const both = { ...settings(), "template.synced": template("{{.app.metadata.name}} {{.secrets}}") };
    await setMap("argocd-notifications-cm", both);
    await setMap("argocd-cmd-params-cm", {
      "application.namespaces": tenant,
      "notificationscontroller.selfservice.enabled": "true",
    });
    const refused = (line: string) => line.includes('"service":"own"') && line.includes('"tenant"');
    const line = await until("a refusal", () => lines.find(refused));
    assert.match(line, /not followed|inner|this machine/);
    assert.ok(!received.some(({ path }) => path === "/own"));
    await addApp("after", on("on-synced"), { ...synced(), where: tenant });
    await until("the operator's", () => saidBy("after").length === 1 || undefined);
    assert.equal(saidBy("after")[0]?.body, "after <no value>");
    assert.ok(!lines.some((one) => /tenants|operators/.test(one.replaceAll(namespace, ""))));
  });
});
