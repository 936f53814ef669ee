/** What a tenant makes of notifications, and a receiver of what it is sent. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  countingListener,
  eventually,
  type LoopbackServer,
  sketchApplication,
  startLoopbackServer,
} from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";

const limit = () => AbortSignal.timeout(100_000);
const namespace = "team-told";
const subscribe = "notifications.argoproj.io/subscribe.";

/** A namespace of team's Applications with a configuration of notifications of its own. */
async function giveConfiguration(
  { capstan: { kube } }: AttackWorld,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const apply = (object: Parameters<typeof kube.apply>[0], fieldManager = "notifications") =>
    kube.apply(object, { fieldManager, force: true, signal: limit() });
  const configMap = (name: string, where: string, texts: Readonly<Record<string, string>>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: where },
    data: texts,
  });
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const params = {
    "application.namespaces": namespace,
    "notificationscontroller.selfservice.enabled": "true",
  };
  await apply(configMap("argocd-cmd-params-cm", "argocd", params));
  await apply(configMap("argocd-notifications-cm", namespace, data), `attack-${Object.keys(data)[0]}`);
}

async function plantSecret({ capstan: { kube } }: AttackWorld, key: string): Promise<string> {
  const canary = `canary${randomBytes(12).toString("hex")}`;
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-notifications-secret", namespace: "argocd" },
    stringData: { [key]: canary },
  };
  await kube.apply(object, { fieldManager: `attack-${key}`, force: true, signal: limit() });
  return canary;
}

async function addApplication(
  { at, capstan: { kube } }: AttackWorld,
  name: string,
  { where, triggers }: { readonly where: string; readonly triggers: readonly string[] },
): Promise<void> {
  const repoURL = `${at.gitUrl}/team-told.git`;
  const object = sketchApplication({ name, repoURL, project: "team", syncPolicy: {} });
  const annotations = Object.fromEntries(triggers.map((one) => [subscribe + one, "x"]));
  const metadata = { ...object.metadata, namespace: where, annotations };
  await kube.create({ ...object, metadata }, { signal: limit() });
}

/** The log, once it says something of the kind. */
const untilLogged = ({ capstan }: AttackWorld, text: RegExp): Promise<string> =>
  eventually(async () => (text.test(capstan.output()) ? capstan.output() : undefined), {
    signal: limit(),
    describe: () => `the log does not say ${text}: ${capstan.output().slice(-2_000)}`,
  });

const always = (send: string): string => JSON.stringify([{ when: "true", send: [send] }]);

interface Receiver extends AsyncDisposable {
  readonly url: LoopbackServer["url"];
  readonly asked: readonly string[];
}

async function startReceiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Receiver> {
  const asked: string[] = [];
  const server = await startLoopbackServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    answer(request, response);
  });
  return { url: server.url, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const secretOfTheOperator: Attack = {
  id: "notifications/a-secret-of-the-operator",
  threat:
    "The configuration of notifications that a tenant may have names keys of the operator's Secret, prints all secrets and the environment, and sends them to an address of this machine",
  heldBy:
    "a namespace's configuration gets the Secret of that namespace alone; no template sees secrets or the environment where tenants write them; services of tenants reach no inner address, after redirects neither",
  play: async (world) => {
    const canary = await plantSecret(world, "operators-key");
    await using receiver = await startReceiver((_, response) => void response.end());
    const { port } = new URL(receiver.url);
    const addresses = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"];
    const services = addresses.map((host, index): [string, string] => [
      `service.webhook.steal-${index}`,
      `url: http://${host}:${port}/$operators-key\nheaders: [{name: X-Key, value: $operators-key}]\n`,
    ]);
    const body = "{{.secrets}} {{index .secrets `operators-key`}} {{toJson .}}";
    const parts = Object.fromEntries(
      services.map((_, index) => [`steal-${index}`, { method: "POST", body }]),
    );
    await giveConfiguration(world, {
      ...Object.fromEntries(services),
      "template.steal": JSON.stringify({ webhook: parts }),
      "template.environment": JSON.stringify({
        message: "{{env `CAPSTAN_TEST_CANARY`}}{{expandenv `$HOME`}}",
      }),
      "trigger.steal": always("steal"),
    });
    const triggers = services.map((_, index) => `steal.steal-${index}`);
    await addApplication(world, "told-steals", { where: namespace, triggers });
    for (const index of services.keys())
      await untilLogged(world, new RegExp(`was not sent.*service=steal-${index} `));
    assert.deepEqual(receiver.asked, []);
    const said = await untilLogged(world, /template\.environment: .*env/);
    assert.ok(!said.includes(canary), "the operator's secret is in the log");
    await world.assertUnharmed([]);
  },
};

const loops: Attack = {
  id: "notifications/a-template-that-loops",
  threat:
    "Triggers and templates of a tenant loop, double their texts and recurse, so that Capstan answers nobody",
  heldBy: "an expression and a template have limits of steps and of what they make, and fail beyond them",
  play: async (world) => {
    const endless = [
      "{{range 1000000000}}{{end}}",
      '{{$x := "0123456789"}}{{range 60}}{{$x = print $x $x}}{{end}}{{$x}}',
      '{{define "r"}}{{template "r"}}{{end}}{{template "r"}}',
    ];
    const templates = endless.map((message, index) => [
      `template.loop-${index}`,
      JSON.stringify({ message }),
    ]);
    const triggers = endless.map((_, index) => [`trigger.loop-${index}`, always(`loop-${index}`)]);
    await giveConfiguration(world, {
      "trigger.endless": JSON.stringify([
        { when: "all(1..1000000000, all(1..1000000000, # > 0))", send: ["loop-0"] },
      ]),
      ...Object.fromEntries([...templates, ...triggers]),
      "service.webhook.loops": "url: https://h.example\n",
    });
    const names = ["endless", ...endless.map((_, index) => `loop-${index}`)];
    await addApplication(world, "told-loops", {
      where: namespace,
      triggers: names.map((one) => `${one}.loops`),
    });
    await untilLogged(world, /trigger endless: condition 1: when: /);
    for (const index of endless.keys())
      await untilLogged(world, new RegExp(`template: loop-${index}.*(more than|nested|exceeded)`));
    assert.equal((await world.ask("alice", "GET /api/v1/applications")).status, 200);
    await world.assertUnharmed([]);
  },
};

const hostileReceiver: Attack = {
  id: "notifications/a-hostile-receiver",
  threat:
    "Receivers of notifications never answer, answer without end, send what they got elsewhere, and show the token they got in their error",
  heldBy:
    "a message has a minute, a service four at a time and a bounded queue of its own, an answer a limit of size; secrets of an entry are masked in what its receiver says",
  play: async (world) => {
    const canary = await plantSecret(world, "receivers-key");
    const open: NodeJS.Timeout[] = [];
    await using receiver = await startReceiver((request, response) => {
      if (request.url === "/hangs") return;
      if (request.url === "/echoes") {
        response.writeHead(400).end(JSON.stringify(request.headers));
      } else if (request.url === "/endless") {
        response.writeHead(200);
        open.push(setInterval(() => response.write("x".repeat(100_000)), 5));
        response.on("close", () => open.forEach(clearInterval));
      } else response.end();
    });
    const names = ["hangs", "echoes", "endless", "fine"];
    const services = names.map((name) => [
      `service.webhook.${name}`,
      `url: ${receiver.url}/${name}\nretryMax: 1\nretryWaitMin: 1ms\nheaders: [{name: Authorization, value: Bearer $receivers-key}]\n`,
    ]);
    const { kube } = world.capstan;
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "argocd-notifications-cm", namespace: "argocd" },
      data: {
        ...Object.fromEntries(services),
        "trigger.told": always("told"),
        "template.told": "message: told\n",
      },
    };
    await kube.apply(object, { fieldManager: "attack-receivers", force: true, signal: limit() });
    const bad = names.slice(0, 3).map((name) => `told.${name}`);
    for (const index of Array(8).keys())
      await addApplication(world, `told-bad-${index}`, { where: "argocd", triggers: bad });
    await addApplication(world, "told-fine", { where: "argocd", triggers: ["told.fine"] });
    await eventually(async () => receiver.asked.some((line) => line.startsWith("GET /fine")) || undefined, {
      signal: limit(),
      describe: () => `the fine receiver was not asked: ${receiver.asked.join("\n")}`,
    });
    const said = await untilLogged(world, /was not sent.*service=echoes/);
    for (const timer of open) clearInterval(timer);
    assert.ok(!said.includes(canary), "the token is in the log");
    assert.equal((await world.ask("alice", "GET /api/v1/applications")).status, 200);
    await world.assertUnharmed([]);
  },
};

const otherProtocols: Attack = {
  id: "notifications/services-of-this-machine",
  threat:
    "Entries of a tenant make mail, NATS, SQS, Slack and Alertmanager of listeners on this machine, and borrow the server's files and identity for Google and AWS",
  heldBy:
    "every service looks at the address that it connects to, whatever it speaks there; what a tenant wrote has no identity but its own",
  play: async (world) => {
    using server = await countingListener();
    const { port } = server;
    const entries: Readonly<Record<string, object>> = {
      "email.mail-0": { host: "127.0.0.1", port, from: "a@example.com" },
      "email.mail-1": { host: "localhost", port, from: "a@example.com", insecure_skip_verify: true },
      "nats.mail-2": { url: `nats://localhost:${port}` },
      "awssqs.mail-3": {
        region: "r",
        queue: "q",
        key: "k",
        secret: "s",
        endpointUrl: `http://127.0.0.1:${port}`,
      },
      "slack.mail-4": { token: "t", apiURL: `http://[::ffff:127.0.0.1]:${port}/` },
      "alertmanager.mail-5": { targets: [`localhost:${port}`] },
      "gcppubsub.borrowed": { project: "p", topic: "t", keyFile: world.at.dataDir },
      "awssqs.lent": { region: "r", queue: "q" },
    };
    const sending = Object.keys(entries).filter((name) => name.includes(".mail-"));
    await giveConfiguration(world, {
      ...Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [`service.${name}`, JSON.stringify(entry)]),
      ),
      "template.mail": JSON.stringify({ message: "m", alertmanager: { labels: { a: "b" } } }),
      "trigger.mail": always("mail"),
    });
    const triggers = sending.map((name) => `mail.${name.split(".")[1]}`);
    await addApplication(world, "told-mails", { where: namespace, triggers });
    for (const index of sending.keys())
      await untilLogged(world, new RegExp(`was not sent.*service=mail-${index} `));
    await untilLogged(world, /service\.gcppubsub\.borrowed: .*is not for an entry of/);
    await untilLogged(world, /service\.awssqs\.lent: .*key and secret are required/);
    assert.equal(server.connections(), 0);
    await world.assertUnharmed([]);
  },
};

export const attacks: readonly Attack[] = [secretOfTheOperator, loops, hostileReceiver, otherProtocols];
