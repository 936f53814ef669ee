import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@capstan/formats";
import { createGitRepository, eventually } from "@capstan/testkit";
import { errors } from "playwright-core";
import type { Figures } from "../report.ts";
import { argocdWithTree, capstanWithTree, type LargeServer, patience } from "./large-servers.ts";
import { isData, type LookedAt, lookAt } from "./looked-at.ts";

const [deployments, podsOfEach, lines, edits] = [40, 48, 9_000, 900];
/** With its ReplicaSet each Deployment, and the ConfigMap. */
const size = { deployments, objects: deployments * (podsOfEach + 2) + 1 };
const limitMs = 10 * 60_000;
const laterPods = 5;
const application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  namespace: "argocd",
  name: "large",
};
const pods = { apiVersion: "v1", kind: "Pod", namespace: "large" };

const lineOf = (index: number, word: string) =>
  `  line-${String(index).padStart(4, "0")}: the ${word} of line ${index}`;

function configMap(word: (index: number) => string): string {
  const data = Array.from({ length: lines }, (_, index) => lineOf(index, word(index)));
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: long\ndata:\n${data.join("\n")}\n`;
}

function deployment(name: string): string {
  const container = { name: "main", image: "registry.example.com/main:1.0" };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: podsOfEach,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    },
  });
}

interface Input {
  readonly program: string | undefined;
  /** The built page of Argo CD: then it is the real one. */
  readonly assets: string | undefined;
}

/** An application whose tree and whose diff are long, synced by the whole product. */
export async function largeApplicationFigures({ program, assets }: Input): Promise<Figures> {
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`);
  await using git = await createGitRepository({
    "app/long.yaml": configMap(() => "value"),
    ...Object.fromEntries(names.map((name) => [`app/${name}.yaml`, deployment(name)])),
  });
  await using server = assets ? await argocdWithTree(assets, size) : await capstanWithTree(program, size);
  await deploy(server, git.url);
  await using looked = await lookAt(server.url, server.token);
  const tree = await treeFigures(server, looked);
  await git.commit({
    "app/long.yaml": configMap((index) => (index % (lines / edits) === 0 ? "other" : "value")),
  });
  await ask(server, "GET /api/v1/applications/large?refresh=normal");
  await untilStatus(server, "sync", "OutOfSync");
  return { ...tree, ...(await diffFigures(server, looked)) };
}

async function treeFigures(server: LargeServer, looked: LookedAt): Promise<Figures> {
  const { page } = looked;
  const started = performance.now();
  await server.open(page, looked.url);
  await page.locator(server.node).first().waitFor(patience);
  const firstNodeMs = performance.now() - started;
  const wholeMs = await timeOf(() => server.untilWhole(page), started);
  await untilQuiet(looked);
  const [data, openedBusyMs] = [looked.bytes(isData), await looked.busyMs()];
  const pod = await deleteOnePod(server, looked);
  const later = [];
  for (let count = 0; count < laterPods; count += 1) later.push((await deleteOnePod(server, looked)).busyMs);
  return {
    "tree: first node, ms": firstNodeMs,
    "tree: all of it known, ms": wholeMs,
    "tree: main thread, ms": openedBusyMs,
    "tree: data, KB": data / 1_000,
    "tree: one Pod deleted, KB": pod.bytes / 1_000,
    "tree: one Pod deleted, main thread, ms": pod.busyMs,
    "tree: a later one, main thread, ms": later.toSorted((left, right) => left - right)[laterPods >> 1] ?? 0,
    "tree: heap, MB": await looked.heap(),
    ...(await podFigures(server, looked)),
  };
}

/** With every Pod by itself in the picture, which is folded again then. */
async function podFigures(server: LargeServer, looked: LookedAt): Promise<Figures> {
  await untilQuiet(looked);
  const before = await looked.busyMs();
  const shownMs = await timeOf(async () => {
    await server.switchPods(looked.page);
    await looked.page.locator(server.pod).first().waitFor(patience);
  });
  await untilQuiet(looked);
  const shownBusyMs = (await looked.busyMs()) - before;
  const never = { ms: shownMs, busyMs: shownMs };
  const gone = Number.isFinite(shownMs) ? await seeOnePodGo(server, looked) : never;
  const heap = await looked.heap();
  await server.switchPods(looked.page);
  return {
    "every Pod: shown after, ms": shownMs,
    "every Pod: main thread, ms": shownBusyMs,
    "every Pod: one deleted, gone after, ms": gone.ms,
    "every Pod: one deleted, main thread, ms": gone.busyMs,
    "every Pod: heap, MB": heap,
  };
}

/** From the deletion in the cluster until the picture has it no more. */
async function seeOnePodGo(server: LargeServer, looked: LookedAt): Promise<{ ms: number; busyMs: number }> {
  const { page } = looked;
  const title = (await page.locator(server.pod).first().getAttribute("title", patience)) ?? "";
  const name = /\bweb-\d+-\S+/.exec(title)?.[0];
  if (name === undefined) throw new Error(`no Pod is named by ${JSON.stringify(title)}`);
  const before = await looked.busyMs();
  const ms = await timeOf(async () => {
    await server.kube.delete({ ...pods, name }, { signal: AbortSignal.timeout(limitMs) });
    await page.locator(`${server.pod}[title*="${name}"]`).waitFor({ state: "detached", ...patience });
  });
  await untilQuiet(looked);
  return { ms, busyMs: (await looked.busyMs()) - before };
}

async function diffFigures(server: LargeServer, looked: LookedAt): Promise<Figures> {
  const { page } = looked;
  await untilQuiet(looked);
  const before = await looked.busyMs();
  const shownMs = await timeOf(async () => {
    await server.showDiff(page);
    await page.getByText("the other of line 0").first().waitFor(patience);
  });
  const answerMs = await page.evaluate(
    () =>
      performance.getEntriesByType("resource").findLast(({ name }) => name.includes("/managed-resources"))
        ?.duration ?? 0,
  );
  await untilQuiet(looked);
  return {
    "diff: shown after, ms": shownMs,
    "diff: of these until the server has answered, ms": answerMs,
    "diff: main thread, ms": (await looked.busyMs()) - before,
    "diff: elements": await page.locator("*").count(),
    "diff: heap, MB": await looked.heap(),
  };
}

/** Infinite where it has not come within the time that one waits. */
async function timeOf(wait: () => Promise<void>, started = performance.now()): Promise<number> {
  try {
    await wait();
    return performance.now() - started;
  } catch (error) {
    if (error instanceof errors.TimeoutError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function deploy(server: LargeServer, repoURL: string): Promise<void> {
  const app = {
    metadata: { name: "large", namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL, path: "app", targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: "large" },
      // Without the second one Argo CD keeps the whole object in an annotation, for which this one is too long.
      syncPolicy: { syncOptions: ["CreateNamespace=true", "ServerSideApply=true"] },
    },
  };
  await ask(server, "POST /api/v1/applications?validate=false", app);
  await untilStatus(server, "sync", "OutOfSync");
  await ask(server, "POST /api/v1/applications/large/sync", {});
  await untilStatus(server, "sync", "Synced");
  await untilStatus(server, "health", "Healthy");
  await untilAllKnown(server);
}

/** `call` is "POST /api/v1/…". */
async function ask({ url, token }: LargeServer, call: string, body?: object): Promise<unknown> {
  const [method = "", path = ""] = call.split(" ");
  const answer = await fetch(url + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${call}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function untilStatus({ kube }: LargeServer, of: "health" | "sync", wanted: string): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  let last: unknown;
  await eventually(
    async () => {
      const status = (await kube.get(application, signal))?.status;
      last = isRecord(status) ? [status[of], status.operationState] : status;
      return (isRecord(status) && isRecord(status[of]) && status[of].status === wanted) || undefined;
    },
    { signal, describe: () => `${of} is not ${wanted}: ${JSON.stringify(last)?.slice(0, 2_000)}` },
  );
}

/** A server may tell of objects later than of the health that comes of them. */
async function untilAllKnown(server: LargeServer): Promise<void> {
  let count = 0;
  await eventually(
    async () => {
      const tree = await ask(server, "GET /api/v1/applications/large/resource-tree");
      count = isRecord(tree) && Array.isArray(tree.nodes) ? tree.nodes.length : 0;
      return count >= size.objects || undefined;
    },
    { signal: AbortSignal.timeout(limitMs), describe: () => `${count} of ${size.objects} objects are known` },
  );
}

/** What a page that shows it does about it, and about the Pod that comes in its place. */
async function deleteOnePod(
  { kube }: LargeServer,
  looked: LookedAt,
): Promise<{ busyMs: number; bytes: number }> {
  await untilQuiet(looked);
  const before = { busyMs: await looked.busyMs(), bytes: looked.bytes(isData) };
  const signal = AbortSignal.timeout(limitMs);
  const { items } = await kube.list(pods, signal);
  await kube.delete({ ...pods, name: items[0]?.metadata.name ?? "" }, { signal });
  await sleep(3_000);
  return { busyMs: (await looked.busyMs()) - before.busyMs, bytes: looked.bytes(isData) - before.bytes };
}

/** Nothing is sent to it any more, and it does nothing. */
async function untilQuiet(looked: LookedAt): Promise<void> {
  for (let looks = 0; looks < 30; looks += 1) {
    const before = { busyMs: await looked.busyMs(), bytes: looked.bytes(isData) };
    await sleep(1_000);
    if (looked.bytes(isData) === before.bytes && (await looked.busyMs()) - before.busyMs < 10) return;
  }
}
