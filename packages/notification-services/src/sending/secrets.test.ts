/** Of every service that there is: what a tenant's entry must not reach, and what no failure may say. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import { startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService, serviceTypes } from "../create-service.ts";
import type { Notification } from "../notification.ts";

const clock = realClock;
const { signal } = new AbortController();

/** Of those that go where their entry says; the others go to one address of the internet. */
function entriesAt(address: string): Readonly<Record<string, Record<string, unknown>>> {
  const { host, hostname, port } = new URL(address);
  return {
    alertmanager: { targets: [host], basicAuth: { username: "u", password: "topsecret-1" } },
    awssqs: { region: "r", queue: "q", key: "k", secret: "topsecret-1", endpointUrl: address },
    email: { host: hostname, port: Number(port), from: "a@b.c", username: "u", password: "topsecret-1" },
    github: { appID: 1, installationID: 2, privateKey, enterpriseBaseURL: address },
    googlechat: { webhooks: { to: `${address}/v1?key=topsecret-1&token=topsecret-2` } },
    grafana: { apiUrl: address, apiKey: "topsecret-1" },
    mattermost: { apiURL: address, token: "topsecret-1" },
    nats: { url: `nats://${host}`, username: "u", password: "topsecret-1" },
    newrelic: { apiURL: address, apiKey: "topsecret-1" },
    opsgenie: { apiUrl: host, apiKeys: { to: "topsecret-1" } },
    rocketchat: { serverUrl: address, email: "u", password: "topsecret-1" },
    slack: { apiURL: `${address}/`, token: "topsecret-1", signingSecret: "topsecret-2" },
    teams: { recipientUrls: { to: `${address}/topsecret-1` } },
    "teams-workflows": { recipientUrls: { to: `${address}/powerautomate/topsecret-1?sig=topsecret-2` } },
    webex: { apiURL: address, token: "topsecret-1" },
    webhook: { url: `${address}/topsecret-1`, headers: [{ name: "A", value: "B topsecret-2" }] },
  };
}
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const elsewhere = ["gcppubsub", "pagerduty", "pagerdutyv2", "pushover", "telegram"];

const newrelic = { revision: "r", changelog: "c", description: "d", user: "u" };
const alertmanager = { labels: { a: "b" }, annotations: {}, generatorURL: "" };
const status = { state: "success", label: "l", targetURL: "" };
const github = { repoURL: "https://github.com/o/n", revision: "r", status };
const notification: Notification = { message: "hello", newrelic, alertmanager, github };

test("every service is tried here", () => {
  assert.deepEqual([...Object.keys(entriesAt("http://h:1")), ...elsewhere].sort(), [...serviceTypes].sort());
});

test("what a tenant wrote does not lead to this machine", async () => {
  await using server = await startStore(() => [200, {}]);
  for (const [type, config] of Object.entries(entriesAt(server.address))) {
    const service = createService({ type, config, clock, guarded: true });
    await assert.rejects(service.send(notification, "to", { signal }), /is not followed/, type);
  }
  assert.deepEqual(server.asked, []);
});

test("a failure that quotes all that was sent shows no secret", async () => {
  await using server = await startStore(({ url, headers, text }) => {
    if (url.pathname.endsWith("/login"))
      return [200, { status: "success", data: { userId: "u", authToken: "topsecret-9" } }];
    return [
      400,
      Buffer.from(`${url.href} ${JSON.stringify(headers.authorization)} ${text} ${JSON.stringify(headers)}`),
    ];
  });
  for (const [type, config] of Object.entries(entriesAt(server.address))) {
    if (type === "email" || type === "nats") continue;
    const service = createService({ type, config, clock });
    const failed = await service.send(notification, "to", { signal }).then(() => "sent", String);
    assert.match(failed, /^SendError: [\w-]+ to to: (HTTP status|AWS answers) 400/, type);
    assert.doesNotMatch(failed, /topsecret|dTp0b3Bz/, failed);
  }
});

test("a service that never answers holds nobody up for longer than a minute", async (t) => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const hasty: Clock = {
    now: () => realClock.now(),
    sleep: (ms, stop) => realClock.sleep(ms > 60_000 ? ms : ms / 1000, stop),
  };
  for (const [type, config] of Object.entries(entriesAt(address))) {
    const service = createService({ type, config, clock: hasty });
    const sent = service.send(notification, "to", { signal });
    await assert.rejects(sent, /gave no answer within|did not take the message within/, type);
  }
});
