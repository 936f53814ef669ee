/**
 * The same triggers, templates and subscriptions make the same requests here and in the real
 * argocd-notifications-controller, and leave the same annotation; and each takes over from the other unnoticed.
 */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { startNotificationController } from "@capstan/controllers";
import { createControlState, httpTransport, type KubeClient, readKubeconfig } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import {
  type ArgoCDCluster,
  createGitRepository,
  type GitRepository,
  kubeconfigText,
  lackingArgoCD,
  type RealArgoCD,
  realClock,
  startArgoCD,
  startLoopbackServer,
} from "@capstan/testkit";
import {
  type ListeningCluster,
  openSmallWorld,
  type SmallWorld,
  startListeningCluster,
} from "@capstan/testkit/worlds";
import { Registry } from "prom-client";
import { type NotificationCase, notificationCases } from "./notification-cases.ts";

const skip = lackingArgoCD();
const limit = () => AbortSignal.timeout(100_000);
const apiVersion = "argoproj.io/v1alpha1";
const namespace = "argocd";
const notified = "notified.notifications.argoproj.io";
const opened = new AsyncDisposableStack();

/** One cluster with whoever sends from it. */
interface Side {
  readonly name: string;
  readonly cluster: ListeningCluster & ArgoCDCluster;
  readonly received: string[];
  readonly url: string;
}

let git: GitRepository;
let sides: { readonly real: Side; readonly ours: Side };
let argo: RealArgoCD;
let world: SmallWorld;
let controller: AsyncDisposable;
let cases: Readonly<Record<string, NotificationCase>>;

before(async () => {
  if (skip) return;
  git = opened.use(
    await createGitRepository({ "app/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n" }),
  );
  cases = notificationCases({ repository: git.url, revision: await git.git("rev-parse", "HEAD") });
  sides = { real: await openSide("real"), ours: await openSide("ours") };
  world = opened.use(await openSmallWorld({ transport: transportOf(sides.ours.cluster) }));
  await world.stopController();
  const only = ["redis-server", "argocd-repo-server", "argocd-notifications"];
  argo = await startArgoCD(sides.real.cluster, { only });
  controller = await startOurs(sides.ours.cluster);
  for (const side of Object.values(sides)) await fill(side);
});
after(async () => {
  await controller?.[Symbol.asyncDispose]();
  await argo?.[Symbol.asyncDispose]();
  await opened.disposeAsync();
});

async function openSide(name: string): Promise<Side> {
  const received: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push(`${request.method} ${request.url} ${request.headers["x-kind"] ?? ""} ${body}`);
    response.end();
  };
  const receiver = opened.use(await startLoopbackServer((request, response) => void take(request, response)));
  const listening = opened.use(await startListeningCluster());
  const kubeconfigFor = (of: string) =>
    kubeconfigText({ server: listening.url, token: listening.token, namespace: of });
  return { name, cluster: { ...listening, kubeconfigFor }, received, url: receiver.url };
}

function transportOf({ kubeconfig }: ListeningCluster) {
  return opened.use(httpTransport(readKubeconfig(kubeconfig), { clock: realClock }));
}

async function startOurs({ kube }: ListeningCluster): Promise<AsyncDisposable> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const live = createControlState({ client: kube, clock: realClock, log });
  await live.ready(limit());
  const { settings, repo, clusters } = world;
  const shared = { kube, repo, clusters, settings, live, clock: realClock, log, namespace };
  const running = startNotificationController({ ...shared, metrics: new Registry() });
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
    },
  };
}

async function fill({ cluster: { kube }, url }: Side): Promise<void> {
  const put = (object: Manifest) =>
    kube.apply(object, { fieldManager: "test", force: true, signal: limit() });
  const own = Object.values(cases);
  const data: Record<string, string> = {
    "service.webhook.hook": `url: ${url}\nheaders: [{name: X-Kind, value: $kind}]\n`,
    "service.webhook.second": `url: ${url}/second\n`,
    context: "word: said\nargocdUrl: https://cd.example\n",
    defaultTriggers: "[by-default]",
    "defaultTriggers.second": "[by-second]",
    subscriptions: JSON.stringify([
      { recipients: ["hook:everybody"], triggers: ["global"], selector: "told=yes,!hidden" },
      { recipients: ["second"], selector: "told=default" },
    ]),
  };
  for (const { triggers = {}, templates = {} } of own) {
    for (const [name, conditions] of Object.entries(triggers))
      data[`trigger.${name}`] = JSON.stringify(conditions);
    for (const [name, template] of Object.entries(templates))
      data[`template.${name}`] = JSON.stringify(template);
  }
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  await put({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-notifications-secret", namespace, labels },
    stringData: { kind: "a kind", word: "hidden" },
  });
  await put({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-notifications-cm", namespace, labels },
    data,
  });
  for (const [name, { project }] of Object.entries(cases))
    if (project)
      await put({
        apiVersion,
        kind: "AppProject",
        metadata: { name, namespace, annotations: project },
        spec: { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }] },
      });
  for (const [name, one] of Object.entries(cases)) await kube.create(appOf(name, one), { signal: limit() });
}

function appOf(
  name: string,
  { annotations, labels, project, spec, steps, finalizers }: NotificationCase,
): Manifest {
  return {
    apiVersion,
    kind: "Application",
    metadata: {
      name,
      namespace,
      ...(annotations ? { annotations } : {}),
      ...(labels ? { labels } : {}),
      ...(finalizers ? { finalizers: [...finalizers] } : {}),
    },
    spec: {
      project: project ? name : "default",
      source: { repoURL: git.url, path: "app", targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: "x" },
      ...spec,
    },
    ...(steps?.[0] ? { status: steps[0] } : {}),
  };
}

const ref = (name: string) => ({ apiVersion, kind: "Application", namespace, name });

async function stateOf(kube: KubeClient): Promise<Record<string, string | undefined>> {
  const { items } = await kube.list({ apiVersion, kind: "Application", namespace }, limit());
  return Object.fromEntries(
    items.map(({ metadata: { name = "", annotations = {} } }) => [
      name,
      annotations[notified]?.replace(/:\d{9,}(?=[,}])/g, ":0"),
    ]),
  );
}

/** Until nothing has changed for some time: whatever is to be sent was sent. */
async function settled({ cluster: { kube }, received }: Side) {
  const quietMs = 4_000;
  let [last, since] = ["", Date.now()];
  const signal = limit();
  while (Date.now() - since < quietMs) {
    signal.throwIfAborted();
    const state = await stateOf(kube);
    const now = JSON.stringify([state, received.length]);
    if (now !== last) [last, since] = [now, Date.now()];
    await realClock.sleep(300, signal);
  }
  return { state: await stateOf(kube), received: [...received].sort() };
}

async function bothSettled() {
  const [real, ours] = await Promise.all([settled(sides.real), settled(sides.ours)]);
  return { real, ours };
}

async function toStep(step: number): Promise<void> {
  for (const { cluster } of Object.values(sides))
    for (const [name, { steps = [] }] of Object.entries(cases)) {
      const status = steps[step];
      if (status)
        await cluster.kube.patch(ref(name), { type: "merge", body: { status } }, { signal: limit() });
    }
}

for (const step of [0, 1, 2])
  test(`step ${step}: the requests and the annotations are the same`, { skip }, async () => {
    if (step > 0) await toStep(step);
    if (step === 2)
      for (const { cluster } of Object.values(sides))
        await cluster.kube.delete(ref("deleted"), { signal: limit() });
    const { real, ours } = await bothSettled();
    assert.ok(real.received.length > 20, argo.output("argocd-notifications").slice(-3_000));
    assert.deepEqual(ours.received, real.received);
    assert.deepEqual(ours.state, real.state);
  });

test("what the one has told is told by the other no more", { skip }, async () => {
  await controller[Symbol.asyncDispose]();
  await argo[Symbol.asyncDispose]();
  const before = await bothSettled();
  controller = await startOurs(sides.real.cluster);
  argo = await startArgoCD(sides.ours.cluster, {
    only: ["redis-server", "argocd-repo-server", "argocd-notifications"],
  });
  const afterwards = await bothSettled();
  assert.deepEqual(afterwards, before);
});
